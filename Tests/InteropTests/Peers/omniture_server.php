<?php
// A little of Omniture's administration service 1.3, written with PHP's SoapServer from its WSDL: reports are jobs.
// Run: SIGNET_WSDL=… SIGNET_STATE=… php -S 127.0.0.1:PORT omniture_server.php
//
// Who calls is told by a UsernameToken with a digest of the password (UsernameToken Profile 1.1 §3.1). It is checked from the message
// itself, as is what SOAP's encoding demands (SOAP 1.1 §5) and PHP's decoder does not: the type of every value, and of the items of
// every array with their number. How a job goes says its report suite. Jobs and nonces are in the file SIGNET_STATE.
declare(strict_types=1);

ini_set('soap.wsdl_cache_enabled', '0');
ini_set('display_errors', '0');

const OMNITURE = 'http://www.omniture.com/';
const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
const ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';
const SCHEMA = 'http://www.w3.org/2001/XMLSchema';
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';
const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-';
const WSSE = WSS . 'wssecurity-secext-1.0.xsd';
const WSU = WSS . 'wssecurity-utility-1.0.xsd';
const USERS = ['ada:Example & Co' => 'shäred sëcret'];
const SUITES = ['example' => 'Beispiel & Söhne', 'failing' => 'Failing', 'busy' => 'Busy', 'brief' => 'Brief', 'slow' => 'Slow'];

/** What outlives a request. */
final class State
{
    public array $nonces = [];
    public array $jobs = [];

    public static function load(): self
    {
        $file = getenv('SIGNET_STATE');
        return is_file($file) ? unserialize(file_get_contents($file)) : new self();
    }

    public function save(): void
    {
        file_put_contents(getenv('SIGNET_STATE'), serialize($this));
    }
}

/** The UsernameToken of a message. */
final class Token
{
    public static function check(DOMXPath $path, State $state): void
    {
        $blocks = $path->query('/s:Envelope/s:Header/wsse:Security[@s:mustUnderstand="1"]');
        if ($blocks->length !== 1) {
            throw new SoapFault([WSSE, 'InvalidSecurity'], 'Unable to validate authentication: no Security header.');
        }
        $text = fn (string $name): string => $path->evaluate("string(wsse:UsernameToken/$name)", $blocks[0]);
        $type = $text('wsse:Password/@Type');
        if ($type !== WSS . 'username-token-profile-1.0#PasswordDigest') {
            throw new SoapFault([WSSE, 'UnsupportedSecurityToken'], "Unable to validate authentication: $type.");
        }
        if ($text('wsse:Nonce/@EncodingType') !== WSS . 'soap-message-security-1.0#Base64Binary') {
            throw new SoapFault([WSSE, 'InvalidSecurityToken'], 'Unable to validate authentication: encoding of the nonce.');
        }
        $nonce = base64_decode($text('wsse:Nonce'), true);
        $created = $text('wsu:Created');
        if (!$nonce || !preg_match('/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/', $created)) {
            throw new SoapFault([WSSE, 'InvalidSecurityToken'], 'Unable to validate authentication: nonce or time.');
        }
        if (abs(time() - strtotime($created)) > 300) {
            throw new SoapFault([WSU, 'MessageExpired'], 'Unable to validate authentication: the token is too old.');
        }
        $password = USERS[$text('wsse:Username')] ?? random_bytes(8);
        $digest = base64_encode(sha1($nonce . $created . $password, true));
        if (!hash_equals($digest, $text('wsse:Password'))) {
            throw new SoapFault([WSSE, 'FailedAuthentication'], 'Unable to validate authentication.');
        }
        if (in_array($nonce, $state->nonces, true)) {
            throw new SoapFault([WSSE, 'InvalidSecurityToken'], 'Unable to validate authentication: the nonce was used before.');
        }
        $state->nonces[] = $nonce;
        $state->save();
    }
}

/** Compares a message with the WSDL, type by type. */
final class Encoding
{
    private DOMXPath $wsdl;

    public function __construct()
    {
        $document = new DOMDocument();
        $document->load(getenv('SIGNET_WSDL'));
        $this->wsdl = new DOMXPath($document);
        $this->wsdl->registerNamespace('w', WSDL);
        $this->wsdl->registerNamespace('x', SCHEMA);
    }

    public function check(DOMElement $call): void
    {
        if ($call->namespaceURI !== OMNITURE || $call->getAttributeNS(ENVELOPE, 'encodingStyle') !== ENCODING) {
            self::fail($call, 'is not encoded');
        }
        $parts = [];
        foreach ($this->wsdl->query("//w:message[@name='{$call->localName}Request']/w:part") as $part) {
            $parts[$part->getAttribute('name')] = self::name($part, $part->getAttribute('type'));
        }
        $this->members($call, $parts);
    }

    private function value(DOMElement $element, string $type): void
    {
        if ($element->getAttributeNS(INSTANCE, 'nil') === 'true') {
            return;
        }
        $said = self::name($element, $element->getAttributeNS(INSTANCE, 'type'));
        $definition = str_starts_with($type, '{' . OMNITURE . '}')
            ? $this->wsdl->query("//x:complexType[@name='" . substr($type, strlen(OMNITURE) + 2) . "']")[0] : null;
        $array = $definition ? $this->wsdl->query('.//x:attribute', $definition)[0] : null;
        if ($said !== $type && !($array && $said === '{' . ENCODING . '}Array')) {
            self::fail($element, "is said to be $said, not $type");
        }
        if ($array) {
            $item = self::name($array, substr($array->getAttributeNS(WSDL, 'arrayType'), 0, -2));
            $this->items($element, $item);
        } elseif ($definition) {
            $members = [];
            foreach ($this->wsdl->query('x:all/x:element', $definition) as $member) {
                $members[$member->getAttribute('name')] = self::name($member, $member->getAttribute('type'));
            }
            $this->members($element, $members);
        }
    }

    private function items(DOMElement $array, string $type): void
    {
        $said = $array->getAttributeNS(ENCODING, 'arrayType');
        $items = self::children($array);
        if (!preg_match('/^(.+)\[(\d+)\]$/', $said, $found) || self::name($array, $found[1]) !== $type || (int) $found[2] !== count($items)) {
            self::fail($array, "is an array of $said, not of " . count($items) . " $type");
        }
        foreach ($items as $item) {
            $this->value($item, $type);
        }
    }

    private function members(DOMElement $element, array $types): void
    {
        $children = self::children($element);
        $names = array_map(fn (DOMElement $child): string => $child->namespaceURI . $child->localName, $children);
        if ($names !== array_keys($types)) {
            self::fail($element, 'has the members ' . implode(' ', $names));
        }
        foreach ($children as $child) {
            $this->value($child, $types[$child->localName]);
        }
    }

    private static function children(DOMElement $element): array
    {
        return array_values(array_filter(iterator_to_array($element->childNodes), fn (DOMNode $node): bool => $node instanceof DOMElement));
    }

    /** A qualified name by its namespace. */
    private static function name(DOMElement $at, string $name): string
    {
        [$prefix, $local] = str_contains($name, ':') ? explode(':', $name) : ['', $name];
        return '{' . $at->lookupNamespaceURI($prefix ?: null) . '}' . $local;
    }

    private static function fail(DOMElement $element, string $problem): never
    {
        throw new SoapFault('Client', "Bad encoding: {$element->localName} $problem.");
    }
}

final class Omniture
{
    public function __construct(private State $state)
    {
    }

    /** PHP calls a method of a header block's name before that of the operation. */
    public function Security(mixed $block): void
    {
    }

    /** Names of operations have a dot, and so no methods of their own. */
    public function __call(string $name, array $arguments): mixed
    {
        $document = new DOMDocument();
        $document->loadXML(file_get_contents('php://input'));
        $path = new DOMXPath($document);
        foreach (['s' => ENVELOPE, 'wsse' => WSSE, 'wsu' => WSU] as $prefix => $namespace) {
            $path->registerNamespace($prefix, $namespace);
        }
        Token::check($path, $this->state);
        (new Encoding())->check($path->query('/s:Envelope/s:Body/*')[0]);
        $answer = match ($name) {
            'Company.GetReportSuites' => self::suites(...$arguments),
            'Report.QueueOvertime' => $this->queue($arguments[0]),
            'Report.GetStatus' => $this->status($arguments[0]),
            'Report.GetReport' => $this->report($arguments[0]),
        };
        $this->state->save();
        return $answer;
    }

    private static function suites(?array $types, ?string $search): array
    {
        if ($types !== null && $types !== ['standard', 'roll<up>']) {
            throw self::refusal('no_such_type', 'There is no such type of report suites.');
        }
        $found = array_filter(SUITES, fn (string $title): bool => str_contains($title, $search ?? ''));
        return ['report_suites' => array_map(fn (string $id): array => ['rsid' => $id, 'site_title' => SUITES[$id]], array_keys($found))];
    }

    private function queue(object $description): array
    {
        if (!isset(SUITES[$description->reportSuiteID])) {
            throw self::refusal('report_suite_not_found', "There is no report suite “{$description->reportSuiteID}”.");
        }
        if (!$description->metrics) {
            throw self::refusal('metrics_required', 'A report needs a metric.');
        }
        $number = 47110 + count($this->state->jobs);
        $this->state->jobs[$number] = ['polls' => 0, 'description' => $description];
        return ['status' => 'queued', 'statusMsg' => 'Your report has been queued', 'reportID' => $number];
    }

    /** Queued when first asked for, then running, then done, unless the suite wants something else. */
    private function poll(int $number): string
    {
        if (!isset($this->state->jobs[$number])) {
            throw self::refusal('report_not_found', "There is no report $number.");
        }
        $polls = ++$this->state->jobs[$number]['polls'];
        $this->state->save();
        $suite = $this->state->jobs[$number]['description']->reportSuiteID;
        if ($polls === 2 && $suite === 'busy') {
            http_response_code(503);
            header('Retry-After: 1');
            header('Content-Type: text/html');
            exit('<html><title>Busy</title></html>');
        }
        if ($polls === 2 && $suite === 'brief') {
            unset($this->state->jobs[$number]);
            $this->state->save();
            throw self::refusal('report_expired', "The report $number has expired.");
        }
        return match (true) {
            $polls === 1 => 'queued',
            $polls === 2 || $suite === 'slow' => 'running',
            $suite === 'failing' => 'failed',
            default => 'done',
        };
    }

    private function status(int $number): array
    {
        $status = $this->poll($number);
        return [
            'report_type' => 'overtime', 'result_size' => $status === 'done' ? 3 : 0, 'queue_time' => '2026-11-04 12:00:00',
            'status' => $status, 'error_code' => $status === 'failed' ? '2017' : '',
            'error_msg' => $status === 'failed' ? 'Zu viele Daten < 31 Tage' : '',
        ];
    }

    private function report(int $number): array
    {
        $status = $this->poll($number);
        if ($status !== 'done') {
            return ['status' => $status, 'statusMsg' => "Your report is $status", 'report' => null];
        }
        $wanted = $this->state->jobs[$number]['description'];
        $named = fn (string $kind): Closure => fn (object $one): array => match ($kind) {
            'metric' => ['id' => $one->id, 'name' => ucfirst($one->id), 'type' => 'number'],
            'element' => ['id' => $one->id, 'name' => ucfirst($one->id), 'classification' => $one->classification ?? ''],
        };
        $data = [];
        for ($day = strtotime($wanted->dateFrom); $day <= strtotime($wanted->dateTo); $day += 86400) {
            $number = (float) date('j', $day);
            $counts = array_map(fn (int $index): float => $number * 100 + $index / 4, array_keys($wanted->metrics));
            $pages = array_map(fn (string $page): array => self::row($page, $day, $counts, null), $wanted->elements[0]->selected ?? []);
            $data[] = self::row(date('D j.n.Y', $day), $day, $counts, $pages ?: null);
        }
        $totals = array_map(fn (int $index): float => array_sum(array_map(fn (array $row): float => $row['counts'][$index], $data)), array_keys($wanted->metrics));
        return ['status' => 'done', 'statusMsg' => '', 'report' => [
            'reportSuite' => ['id' => $wanted->reportSuiteID, 'name' => SUITES[$wanted->reportSuiteID]],
            'period' => "{$wanted->dateFrom} – {$wanted->dateTo}", 'elements' => array_map($named('element'), $wanted->elements ?? []),
            'metrics' => array_map($named('metric'), $wanted->metrics), 'type' => 'overtime', 'data' => $data, 'totals' => $totals,
        ]];
    }

    private static function row(string $name, int $day, array $counts, ?array $breakdown): array
    {
        return [
            'name' => $name, 'url' => '', 'year' => (int) date('Y', $day), 'month' => (int) date('n', $day), 'day' => (int) date('j', $day),
            'hour' => 0, 'counts' => $counts, 'breakdown_total' => $breakdown ? $counts : null, 'breakdown' => $breakdown,
        ];
    }

    private static function refusal(string $code, string $reason): SoapFault
    {
        return new SoapFault('Client', $reason, null, $code);
    }
}

date_default_timezone_set('UTC');
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    header('Allow: POST');
    return true;
}
$server = new SoapServer(getenv('SIGNET_WSDL'), ['features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
$server->setObject(new Omniture(State::load()));
$server->handle();
return true;
