<?php
// Two operations of the certificate service of a research network (DFN), by PHP's SoapServer from its own WSDL: a request gets a
// number, and the certificate is fetched by that number and a secret.
// Run: SIGNET_WSDL=… SIGNET_STATE=… SIGNET_AUTHORITY=… php -S 127.0.0.1:PORT dfn_server.php
//
// SIGNET_AUTHORITY is a folder with ca.pem and ca.key. A request is decided when it is asked for the second time. What was asked is in
// the file SIGNET_STATE, and a line for each call in the file “log” of that folder.
declare(strict_types=1);

ini_set('soap.wsdl_cache_enabled', '0');
ini_set('display_errors', '0');

final class CertificateService
{
    private function state(): array
    {
        $file = getenv('SIGNET_STATE');
        return is_file($file) ? unserialize(file_get_contents($file)) : [];
    }

    private function note(string $line): void
    {
        file_put_contents(getenv('SIGNET_AUTHORITY') . '/log', $line . "\n", FILE_APPEND);
    }

    public function newRequest(
        int $ra, string $request, ?array $names, ?string $role, ?string $pin, ?string $name, ?string $email, ?string $unit, bool $publish
    ): int {
        if (openssl_csr_get_public_key($request) === false) {
            throw new SoapFault('Client', 'The request is no PKCS#10.');
        }
        if (!preg_match('/^[0-9a-f]{40}$/', (string) $pin)) {
            throw new SoapFault('Client', 'The pin is no SHA-1 in hexadecimal.');
        }
        $state = $this->state();
        $serial = 1001 + count($state);
        $state[$serial] = ['request' => $request, 'pin' => $pin, 'asked' => 0];
        file_put_contents(getenv('SIGNET_STATE'), serialize($state));
        $this->note("new $ra $role");
        return $serial;
    }

    public function getCertificateByRequestSerial(int $ra, int $serial, ?string $pin): string
    {
        $state = $this->state();
        if (!isset($state[$serial]) || !hash_equals($state[$serial]['pin'], (string) $pin)) {
            throw new SoapFault('Client', 'There is no such request.');
        }
        $this->note("get $serial");
        $state[$serial]['asked']++;
        file_put_contents(getenv('SIGNET_STATE'), serialize($state));
        if ($state[$serial]['asked'] < 2) {
            return '';
        }
        $folder = getenv('SIGNET_AUTHORITY');
        $usage = "[req]\ndistinguished_name = name\n[name]\n[user]\nbasicConstraints = CA:FALSE\nextendedKeyUsage = clientAuth\n";
        file_put_contents($folder . '/user.cnf', $usage);
        $certificate = openssl_csr_sign(
            $state[$serial]['request'], 'file://' . $folder . '/ca.pem', 'file://' . $folder . '/ca.key', 30,
            ['digest_alg' => 'sha256', 'config' => $folder . '/user.cnf', 'x509_extensions' => 'user'], $serial
        );
        openssl_x509_export($certificate, $text);
        return $text;
    }
}

$server = new SoapServer(getenv('SIGNET_WSDL'));
$server->setClass(CertificateService::class);
$server->handle();
