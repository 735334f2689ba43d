<?php
// The WebEase service, written with PHP's SoapServer. Run: SIGNET_WSDL=… SIGNET_STATE=… php -S 127.0.0.1:PORT webease_server.php
//
// It answers in the version that it is asked in. PHP forgets everything after a request: the diary is in the file SIGNET_STATE.
declare(strict_types=1);

ini_set('soap.wsdl_cache_enabled', '0');
ini_set('display_errors', '0');

final class Diary
{
    private array $entries = [];
    private int $lastId = 4294967296; // Beyond what an xs:int holds.

    public function __construct(private string $file)
    {
        if (is_file($file)) {
            [$this->lastId, $this->entries] = unserialize(file_get_contents($file));
        }
    }

    private function save(): void
    {
        file_put_contents($this->file, serialize([$this->lastId, $this->entries]));
    }

    public function LogEntryCreate(object $input): array
    {
        $entry = clone $input->entry;
        $entry->id = ++$this->lastId;
        $entry->recordedAt = '2026-03-29T14:34:56.789+02:00';
        $entry->revision = 1;
        $this->entries[$entry->id] = $entry;
        $this->save();
        return ['entry' => $entry];
    }

    public function LogEntryQuery(object $input): array
    {
        if ($input->patientId === 'closed') {
            throw new SoapFault('Client', 'The diary is closed: geschloßen, 閉 😀');
        }
        $found = array_filter($this->entries, fn (object $entry): bool => self::matches($entry, $input));
        $limit = $input->limit ?? count($found);
        return ['entry' => array_values(array_slice($found, 0, $limit)), 'truncated' => count($found) > $limit];
    }

    private static function matches(object $entry, object $query): bool
    {
        // PHP makes an array only of more than one, unless asked; see SOAP_SINGLE_ELEMENT_ARRAYS below.
        if ($entry->patientId !== $query->patientId || (!empty($query->kind) && !in_array($entry->kind, $query->kind, true))) {
            return false;
        }
        if (!isset($query->entryDate)) {
            return true;
        }
        [$day, $value] = [$entry->entryDate, $query->entryDate->value];
        return match ($query->entryDate->operator) {
            'equal' => $day === $value,
            'before' => $day < $value,
            'after' => $day > $value,
            'between' => $day >= $value && $day <= ($query->entryDate->upper ?? $day),
        };
    }

    public function LogEntryUpdate(object $input): array
    {
        $entry = clone $input->entry;
        $known = $this->entries[$entry->id] ?? throw self::notFound($entry->id);
        if ($known->revision !== $entry->revision) {
            throw self::refusal('The entry was changed: geändert', 'Conflict', [
                'id' => $entry->id, 'currentRevision' => $known->revision,
            ]);
        }
        $entry->revision++;
        $this->entries[$entry->id] = $entry;
        $this->save();
        return ['entry' => $entry];
    }

    public function LogEntryDelete(object $input): array
    {
        if (!isset($this->entries[$input->id])) {
            throw self::notFound($input->id);
        }
        unset($this->entries[$input->id]);
        $this->save();
        return ['deleted' => true];
    }

    public function Register(object $input): array
    {
        if ($input->serialNumber === 'refused') {
            throw self::refusal('Refused', 'RegistrationRefused', [
                'reason' => 'registered', 'explanation' => 'Das Gerät ist schon angemeldet.',
            ]);
        }
        return [
            // Whom the proxy in front let in, so that a test can see it.
            'label' => $_SERVER['HTTP_X_CLIENT_SUBJECT'] ?? '',
            'identity' => implode(array_map(chr(...), range(0, 255))),
            'password' => $input->model ?? '',
        ];
    }

    private static function notFound(int $id): SoapFault
    {
        return self::refusal('No such entry', 'EntryNotFound', ['id' => $id]);
    }

    // A fault whose detail the WSDL declares, by its name there; PHP then writes the element of the fault's part.
    private static function refusal(string $reason, string $name, array $content): SoapFault
    {
        return new SoapFault('Server', $reason, null, $content, $name);
    }
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    header('Allow: POST');
    return true;
}
$server = new SoapServer(getenv('SIGNET_WSDL'), [
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
]);
$server->setObject(new Diary(getenv('SIGNET_STATE')));
$server->handle();
return true;
