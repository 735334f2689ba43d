<?php
// PHP's SOAP extension: the commands of Sources/CodecCost/Program.swift. A client whose __doRequest gives the bytes reads; a server
// whose output is kept writes, after it has read a small request.
//
//     codec.php WSDL check FILE | copy FROM TO | decode|encode FILE SECONDS | run OPERATION FILE COUNT

declare(strict_types=1);

const OPTIONS = ['features' => SOAP_SINGLE_ELEMENT_ARRAYS, 'cache_wsdl' => WSDL_CACHE_NONE, 'soap_version' => SOAP_1_1];
const REQUEST = '<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
    . '<t:LogEntryQuery xmlns:t="urn:signet:example:webease:types"><t:patientId>P-1</t:patientId></t:LogEntryQuery></s:Body></s:Envelope>';

final class Reader extends SoapClient
{
    public string $message = '';

    public function __doRequest(
        string $request, string $location, string $action, int $version, bool $oneWay = false
    ): ?string {
        return $this->message;
    }
}

final class Service
{
    public ?object $response = null;

    public function LogEntryQuery(object $query): object
    {
        return $this->response;
    }
}

// A number that every field goes into (FNV-1a, 64 bits).
function checksum(object $response): string
{
    $fields = '';
    $entries = $response->entry ?? [];
    foreach ($entries as $entry) {
        $all = [
            $entry->id, $entry->patientId, $entry->entryDate, (new DateTimeImmutable($entry->recordedAt))->getTimestamp(),
            $entry->systolic, $entry->diastolic, $entry->weight, $entry->pulse ?? '-', $entry->flagged ? '1' : '0',
            $entry->note ?? '-', $entry->kind, ...($entry->tag ?? []), $entry->attachment ?? '', $entry->revision,
            $entry->source ?? '-',
        ];
        foreach ($all as $field) {
            $fields .= $field . "\0";
        }
    }
    return count($entries) . ' entries, ' . ltrim(hash('fnv1a64', $fields), '0');
}

function microseconds(float $seconds, callable $work): float
{
    for ($i = 0; $i < 3; $i++) {
        $work();
    }
    $measured = [];
    for ($i = 0; $i < 9; $i++) {
        $runs = 0;
        $begin = hrtime(true);
        do {
            $work();
            $runs++;
            $elapsed = (hrtime(true) - $begin) / 1e9;
        } while ($elapsed < $seconds / 9);
        $measured[] = $elapsed * 1e6 / $runs;
    }
    sort($measured);
    return $measured[4];
}

if ($argc < 4) {
    exit("usage: codec.php WSDL check FILE | copy FROM TO | decode|encode FILE SECONDS | run OPERATION FILE COUNT\n");
}
[, $wsdl, $command] = $argv;
// A port is chosen by the first binding in the WSDL, which is that of SOAP 1.1.
$reader = new Reader($wsdl, OPTIONS);
$service = new Service();
$server = new SoapServer($wsdl, OPTIONS);
$server->setObject($service);

$decode = function (string $message) use ($reader): object {
    $reader->message = $message;
    return $reader->LogEntryQuery(['patientId' => 'P-1']);
};
$encode = function (object $response) use ($server, $service): string {
    $service->response = $response;
    ob_start();
    $server->handle(REQUEST);
    return ob_get_clean();
};
$work = function (string $operation, string $message) use ($decode, $encode): callable {
    if ($operation === 'decode') {
        return fn() => $decode($message);
    }
    $response = $decode($message);
    return fn() => $encode($response);
};

switch ($command) {
    case 'check':
        echo checksum($decode(file_get_contents($argv[3]))), "\n";
        break;
    case 'copy':
        file_put_contents($argv[4], $encode($decode(file_get_contents($argv[3]))));
        break;
    case 'run':
        $message = file_get_contents($argv[4]);
        if ((int) $argv[5] > 0) {
            $todo = $work($argv[3], $message);
            for ($i = 0; $i < (int) $argv[5]; $i++) {
                $todo();
            }
        }
        break;
    default:
        echo microseconds((float) $argv[4], $work($command, file_get_contents($argv[3]))), "\n";
}
