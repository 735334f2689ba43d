<?php
// Calls every operation of the WebEase service with PHP's SoapClient and prints what came back as JSON.
//
// php webease_client.php --wsdl=… --version=1.1|1.2 --endpoint=… --ca=… --certificate=… [--user=… --password-file=…]
// The certificate's file holds its key too. PHP's client takes the port whose binding has the wanted version.
declare(strict_types=1);

ini_set('soap.wsdl_cache_enabled', '0');
ini_set('default_socket_timeout', '60');

$options = getopt('', ['wsdl:', 'version:', 'endpoint:', 'ca:', 'certificate:', 'user:', 'password-file:', 'serial-number:']);
$access = isset($options['user'])
    ? ['login' => $options['user'], 'password' => rtrim(file_get_contents($options['password-file']), "\n")]
    : [];
$client = new SoapClient($options['wsdl'], $access + [
    'location' => $options['endpoint'],
    'soap_version' => $options['version'] === '1.2' ? SOAP_1_2 : SOAP_1_1,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
    'trace' => true,
    'stream_context' => stream_context_create(['ssl' => [
        'cafile' => $options['ca'], 'local_cert' => $options['certificate'], 'verify_peer' => true,
    ]]),
]);

/** A call's outcome; the element around a single value is left out. */
function outcome(string $operation, array $input): array
{
    global $client;
    try {
        $answer = $client->__soapCall($operation, [$input]);
        return ['result' => $operation === 'LogEntryQuery' ? $answer : current((array) $answer), 'contentType' => contentType()];
    } catch (SoapFault $fault) {
        // PHP throws its own errors as faults too; only a code that came with an envelope has a prefix.
        if (!str_contains($fault->faultcode, ':')) {
            return ['error' => ['type' => $fault->faultcode, 'message' => $fault->getMessage()]];
        }
        return ['fault' => [
            'code' => $fault->faultcode, 'reason' => $fault->getMessage(), 'detail' => detail($fault),
        ], 'contentType' => contentType()];
    }
}

/** The name of a declared fault, and what it says. */
function detail(SoapFault $fault): ?string
{
    $words = [];
    foreach ((array) ($fault->detail ?? []) as $element => $content) {
        $words[] = $element;
        foreach ((array) $content as $name => $value) {
            $words[] = "$name=$value";
        }
    }
    return $words === [] ? null : implode(' ', $words);
}

function contentType(): string
{
    global $client;
    preg_match('/^Content-Type: *([^;\r\n]*)/mi', (string) $client->__getLastResponseHeaders(), $found);
    return $found[1] ?? '';
}

/** What JSON cannot carry. */
function plain(mixed $value): mixed
{
    if (is_object($value) || is_array($value)) {
        $result = array_map(plain(...), (array) $value);
        if (isset($result['attachment'])) {
            $result['attachment'] = bin2hex(((array) $value)['attachment']);
        }
        return $result;
    }
    return $value;
}

$report = [];
$report['create'] = outcome('LogEntryCreate', ['entry' => [
    'patientId' => 'php-1', 'entryDate' => '2026-03-29', 'systolic' => 121, 'diastolic' => 79, 'weight' => '81.250',
    'flagged' => false, 'note' => 'after lunch, < 2 h & ü € 😀', 'kind' => 'Device', 'tag' => ['morning', 'left arm'],
    'attachment' => implode(array_map(chr(...), range(0, 255))), 'source' => 'php',
]]);
$report['query'] = outcome('LogEntryQuery', [
    'patientId' => 'php-1', 'kind' => ['Device', 'Manual'], 'limit' => 10,
    'entryDate' => ['operator' => 'between', 'value' => '2026-03-01', 'upper' => '2026-03-31'],
]);
if (isset($report['create']['result'])) {
    $changed = clone $report['create']['result'];
    [$changed->systolic, $changed->kind, $changed->pulse, $changed->note] = [118, 'Corrected', 64, null];
    $report['update'] = outcome('LogEntryUpdate', ['entry' => $changed]);
    $report['updateOfOldRevision'] = outcome('LogEntryUpdate', ['entry' => $changed]);
    $report['delete'] = outcome('LogEntryDelete', ['id' => $changed->id]);
    $report['deleteAgain'] = outcome('LogEntryDelete', ['id' => $changed->id]);
}
$report['register'] = outcome('Register', ['serialNumber' => $options['serial-number'] ?? 'refused', 'model' => 'php']);
echo json_encode(plain($report), JSON_UNESCAPED_UNICODE | JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR), "\n";
