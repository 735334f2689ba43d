<?php
// The SoapBuilders' second round written with PHP's SoapServer: every operation gives back what it takes.
// Run: SIGNET_WSDL=… php -S 127.0.0.1:PORT echo_server.php
declare(strict_types=1);

ini_set('soap.wsdl_cache_enabled', '0');
ini_set('display_errors', '0');

final class Echoes
{
    public function __call(string $name, array $arguments): mixed
    {
        if (($arguments[0] ?? null) === 'fault') {
            throw new SoapFault('Client', 'asked for');
        }
        return $arguments[0] ?? null;
    }
}

$server = new SoapServer(getenv('SIGNET_WSDL'), ['features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
$server->setObject(new Echoes());
$server->handle();
