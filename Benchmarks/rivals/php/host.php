<?php
// PHP's side of the hosting benchmark: SoapServer behind nginx and PHP-FPM. The WSDL is named by the parameter WSDL; PHP keeps what it
// has read of it in memory.

declare(strict_types=1);

final class Diary
{
    public function LogEntryQuery(object $query): array
    {
        $entries = [];
        for ($index = 0; $index < ($query->limit ?? 2); $index++) {
            $entries[] = $this->entry($index, $query->patientId);
        }
        return ['entry' => $entries, 'truncated' => false];
    }

    private function entry(int $index, string $patient): array
    {
        return [
            'id' => 4000000000 + $index, 'patientId' => $patient, 'entryDate' => sprintf('2026-01-%02d', 1 + $index % 28),
            'recordedAt' => gmdate('Y-m-d\TH:i:s\Z', 1767225600 + $index * 61), 'systolic' => 110, 'diastolic' => 60, 'weight' => '60.1',
            'pulse' => 55, 'flagged' => $index === 0, 'note' => "Nach dem Fr\u{FC}hst\u{FC}ck & vor dem Spaziergang gemessen",
            'kind' => 'Device', 'tag' => ['morning', 'rest'], 'revision' => 1, 'source' => 'signet-bp-meter/2.1',
        ];
    }
}

$server = new SoapServer($_SERVER['WSDL'], ['cache_wsdl' => WSDL_CACHE_MEMORY, 'soap_version' => SOAP_1_1]);
$server->setClass('Diary');
$server->handle();
