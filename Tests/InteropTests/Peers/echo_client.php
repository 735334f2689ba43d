<?php
// Calls the SoapBuilders' second round with PHP's SoapClient. Run: php echo_client.php WSDL URL
// The same object twice in an array is sent once and referred to.
declare(strict_types=1);

ini_set('soap.wsdl_cache_enabled', '0');

[, $wsdl, $url] = $argv;
$client = new SoapClient($wsdl, ['location' => $url, 'features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
$one = (object) ['varString' => 'eins & <zwei>', 'varInt' => 1, 'varFloat' => 1.5];
$two = (object) ['varString' => '', 'varInt' => -2, 'varFloat' => 0.0];
$calls = [
    'String' => 'Grüße & <Küsse>', 'StringArray' => ['a', null, 'c'], 'Integer' => -7, 'IntegerArray' => [1, 2, 3],
    'Struct' => $one, 'StructArray' => [$one, $two, $one], 'Base64' => "\0\1\xFF", 'Decimal' => '123456789012345678901.5',
    'Boolean' => true,
];
foreach ($calls as $name => $value) {
    $answer = $client->{"echo$name"}($value);
    echo $answer == $value ? 'same' : 'DIFFERENT', " $name\n";
}
