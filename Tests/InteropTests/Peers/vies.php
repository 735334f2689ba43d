<?php
// The service VIES checkVat, written with PHP's SoapServer. Run: SIGNET_WSDL=… php -S 127.0.0.1:PORT vies.php
declare(strict_types=1);

ini_set('soap.wsdl_cache_enabled', '0');
ini_set('display_errors', '0');

final class CheckVatService
{
    public function checkVat(object $input): array
    {
        if (!preg_match('/^[A-Z]{2}$/', $input->countryCode) || !preg_match('/^[0-9A-Za-z+*.]{2,12}$/', $input->vatNumber)) {
            throw new SoapFault('Server', 'INVALID_INPUT');
        }
        $valid = $input->countryCode === 'DE' && $input->vatNumber === '123456789';
        return [
            'countryCode' => $input->countryCode,
            'vatNumber' => $input->vatNumber,
            'requestDate' => '2026-11-21+01:00',
            'valid' => $valid,
            'name' => $valid ? 'Muster & Söhne <GmbH>' : null,
            // Whom the proxy in front let in, so that a test can see it.
            'address' => $_SERVER['HTTP_X_CLIENT_SUBJECT'] ?? null,
        ];
    }
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    header('Allow: POST');
    return true;
}
$server = new SoapServer(getenv('SIGNET_WSDL'), ['soap_version' => SOAP_1_1]);
$server->setObject(new CheckVatService());
$server->handle();
return true;
