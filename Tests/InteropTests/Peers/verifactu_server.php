<?php
// The Spanish tax agency's VERI*FACTU, written with PHP's SoapServer from the agency's WSDL. Run: SIGNET_WSDL=… php -S 127.0.0.1:PORT verifactu_server.php
//
// It answers each invoice of a message on its own: a number that begins with "X" is refused with the agency's error 1112.
// A message from a NIF that begins with "B000" is refused as a whole, with a fault that the WSDL does not declare.
declare(strict_types=1);

ini_set('soap.wsdl_cache_enabled', '0');
ini_set('display_errors', '0');

final class Verifactu
{
    public function RegFactuSistemaFacturacion(object $input): array
    {
        $this->admit($input->Cabecera);
        $lines = array_map(self::line(...), $input->RegistroFactura);
        $refused = array_filter($lines, fn (array $line): bool => $line['EstadoRegistro'] === 'Incorrecto');
        return [
            'CSV' => 'A-YDSW8NLFLANWPM',
            // Whom the proxy in front let in, so that a test can see it; and a time with a zone.
            'DatosPresentacion' => [
                'NIFPresentador' => substr($_SERVER['HTTP_X_CLIENT_SUBJECT'] ?? '', -9),
                'TimestampPresentacion' => '2026-03-29T14:34:56+02:00',
            ],
            'Cabecera' => $input->Cabecera,
            'TiempoEsperaEnvio' => '60',
            'EstadoEnvio' => match (count($refused)) {
                0 => 'Correcto', count($lines) => 'Incorrecto', default => 'ParcialmenteCorrecto',
            },
            'RespuestaLinea' => $lines,
        ];
    }

    /** The answer to one record: exactly one of a registration (Alta) and an annulment (Anulacion). */
    private static function line(object $record): array
    {
        if (isset($record->RegistroAlta)) {
            $invoice = $record->RegistroAlta->IDFactura;
            $id = ['IDEmisorFactura' => $invoice->IDEmisorFactura, 'NumSerieFactura' => $invoice->NumSerieFactura,
                'FechaExpedicionFactura' => $invoice->FechaExpedicionFactura];
            $reference = $record->RegistroAlta->RefExterna ?? null;
        } else {
            $invoice = $record->RegistroAnulacion->IDFactura;
            $id = ['IDEmisorFactura' => $invoice->IDEmisorFacturaAnulada,
                'NumSerieFactura' => $invoice->NumSerieFacturaAnulada,
                'FechaExpedicionFactura' => $invoice->FechaExpedicionFacturaAnulada];
            $reference = $record->RegistroAnulacion->RefExterna ?? null;
        }
        $line = ['IDFactura' => $id, 'Operacion' => [
            'TipoOperacion' => isset($record->RegistroAlta) ? 'Alta' : 'Anulacion',
        ]];
        if ($reference !== null) {
            $line['RefExterna'] = $reference;
        }
        if (!str_starts_with($id['NumSerieFactura'], 'X')) {
            return $line + ['EstadoRegistro' => 'Correcto'];
        }
        return $line + [
            'EstadoRegistro' => 'Incorrecto', 'CodigoErrorRegistro' => '1112',
            'DescripcionErrorRegistro' => 'El campo FechaExpedicionFactura es superior a la fecha actual. ¡Revíselo!',
        ];
    }

    public function ConsultaFactuSistemaFacturacion(object $input): array
    {
        return [
            'Cabecera' => $input->Cabecera,
            'PeriodoImputacion' => [
                'Ejercicio' => $input->FiltroConsulta->PeriodoImputacion->Ejercicio,
                'Periodo' => $input->FiltroConsulta->PeriodoImputacion->Periodo,
            ],
            'IndicadorPaginacion' => 'N',
            'ResultadoConsulta' => 'SinDatos',
        ];
    }

    private function admit(object $header): void
    {
        if (str_starts_with($header->ObligadoEmision->NIF, 'B000')) {
            throw new SoapFault('Client', 'Codigo[4116].Error en la cabecera: el campo NIF del bloque ObligadoEmision tiene un formato incorrecto. ñ');
        }
    }
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    header('Allow: POST');
    return true;
}
$server = new SoapServer(getenv('SIGNET_WSDL'), ['features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
$server->setObject(new Verifactu());
$server->handle();
return true;
