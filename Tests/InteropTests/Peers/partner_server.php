<?php
// A little of Salesforce's partner API, written with PHP's SoapServer from its WSDL. Run: SIGNET_WSDL=… SIGNET_STATE=… php -S 127.0.0.1:PORT partner_server.php
//
// One user; a session is opened by login and shown in the header block SessionHeader; every answer but that to login
// carries the header block LimitInfoHeader. Records are in the file SIGNET_STATE.
declare(strict_types=1);

ini_set('soap.wsdl_cache_enabled', '0');
ini_set('display_errors', '0');

const NAMESPACE_OF_API = 'urn:partner.soap.sforce.com';
const SESSION = '00Dxx0000001gPL!AQ4AQFÄ';

final class Partner
{
    private ?string $session = null;
    private array $clientNames = [];
    public SoapServer $server;

    public function login(object $input): array
    {
        if ($input->username !== 'ada@example.com' || $input->password !== 'påss wörd') {
            throw new SoapFault('Client', 'INVALID_LOGIN: Invalid username, password, security token; or user locked out.', null, [
                'exceptionCode' => 'INVALID_LOGIN', 'exceptionMessage' => 'Passwort falsch oder Nutzer gesperrt.',
            ], 'LoginFault');
        }
        return ['result' => [
            'metadataServerUrl' => null, 'passwordExpired' => false, 'sandbox' => true,
            'serverUrl' => 'https://localhost/services/Soap/u/48.0', 'sessionId' => SESSION,
            'userId' => '005xx000001SwiUAAS',
        ]];
    }

    /** PHP calls a method of a header block's name with its content, before that of the operation. */
    public function SessionHeader(object $header): void
    {
        $this->session = $header->sessionId;
    }

    public function CallOptions(object $header): void
    {
        $this->clientNames[] = $header->client;
    }

    public function create(object $input): array
    {
        $this->admit();
        $results = [];
        $records = self::records();
        foreach ($input->sObjects ?? [] as $record) {
            if (!in_array($record->type, ['Account', 'Contact'], true)) {
                $results[] = ['errors' => [[
                    'fields' => ['type'], 'message' => "sObject type '{$record->type}' is not supported.",
                    'statusCode' => 'INVALID_TYPE',
                ]], 'id' => null, 'success' => false];
                continue;
            }
            $id = sprintf('001xx000003DG%03dAAS', count($records));
            $records[] = ['type' => $record->type, 'Id' => $id, 'any' => self::fields($record->any ?? '')];
            $results[] = ['id' => $id, 'success' => true];
        }
        file_put_contents(getenv('SIGNET_STATE'), serialize($records));
        return ['result' => $results];
    }

    /** The fields are an xs:any, which PHP hands over as text without the namespace declarations around it, and takes back so. */
    private static function fields(string $text): string
    {
        preg_match_all('/<(?:[\w.-]+:)?(\w+)[^>]*>([^<]*)</', $text, $fields, PREG_SET_ORDER);
        return implode(array_map(
            fn (array $field): string => "<{$field[1]} xmlns='urn:sobject.partner.soap.sforce.com'>{$field[2]}</{$field[1]}>",
            $fields,
        ));
    }

    public function query(object $input): array
    {
        $this->admit();
        if (!preg_match('/^SELECT .* FROM (\w+)$/', $input->queryString, $found)) {
            throw new SoapFault('Client', 'MALFORMED_QUERY: unexpected token', null, [
                'exceptionCode' => 'MALFORMED_QUERY', 'exceptionMessage' => 'unexpected token: »' . $input->queryString . '«',
                'row' => 1, 'column' => 7,
            ], 'MalformedQueryFault');
        }
        $records = array_values(array_filter(self::records(), fn (array $record): bool => $record['type'] === $found[1]));
        return ['result' => ['done' => true, 'queryLocator' => null, 'records' => $records, 'size' => count($records)]];
    }

    private static function records(): array
    {
        return is_file(getenv('SIGNET_STATE')) ? unserialize(file_get_contents(getenv('SIGNET_STATE'))) : [];
    }

    /** Only with a session; and says with every answer how many requests are left. */
    private function admit(): void
    {
        if ($this->session !== SESSION) {
            throw new SoapFault('Client', 'INVALID_SESSION_ID: Invalid Session ID found in SessionHeader', null, [
                'exceptionCode' => 'INVALID_SESSION_ID', 'exceptionMessage' => 'Sitzung abgelaufen',
            ], 'UnexpectedErrorFault');
        }
        $limits = [['current' => 7, 'limit' => 15000, 'type' => 'API REQUESTS']];
        foreach ($this->clientNames as $name) {
            $limits[] = ['current' => 1, 'limit' => 1, 'type' => $name];
        }
        $this->server->addSoapHeader(new SoapHeader(NAMESPACE_OF_API, 'LimitInfoHeader', ['limitInfo' => $limits]));
    }
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    header('Allow: POST');
    return true;
}
$partner = new Partner();
$partner->server = new SoapServer(getenv('SIGNET_WSDL'), ['features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
$partner->server->setObject($partner);
$partner->server->handle();
return true;
