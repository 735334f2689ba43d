<?php
// Answers with what PHP understands of a request without SOAP, for PlainQueries.wsdl and PlainForms.wsdl.

function text(string $text): string
{
    return str_replace("\r", '&#13;', htmlspecialchars($text, ENT_XML1 | ENT_QUOTES));
}

/** Names and values in their order; PHP's own arrays keep only the last of a name. */
function parameters(string $encoded): array
{
    $result = [];
    foreach ($encoded === '' ? [] : explode('&', $encoded) as $pair) {
        [$name, $value] = explode('=', $pair, 2) + [1 => ''];
        $result[] = [urldecode($name), urldecode($value)];
    }
    return $result;
}

$target = explode('?', $_SERVER['REQUEST_URI'], 2);
$content = file_get_contents('php://input');
$type = $_SERVER['CONTENT_TYPE'] ?? '';
$isForm = $type === 'application/x-www-form-urlencoded';
$all = array_merge(parameters($target[1] ?? ''), $isForm ? parameters($content) : []);
foreach ($all as [$name, $value]) {
    $values = array_column(array_filter($all, fn ($other) => $other[0] === $name), 1);
    if (($isForm && isset($_POST[$name]) ? $_POST[$name] : $_GET[$name] ?? null) !== end($values)) {
        http_response_code(500);
        exit('PHP reads something else');
    }
}

header('Content-Type: text/xml; charset=utf-8');
echo '<?xml version="1.0" encoding="utf-8"?><Received xmlns="urn:example:plain">';
echo '<method>', text($_SERVER['REQUEST_METHOD']), '</method>';
foreach (explode('/', substr($target[0], 1)) as $segment) {
    echo '<segment>', text(rawurldecode($segment)), '</segment>';
}
foreach ($all as [$name, $value]) {
    echo '<parameter name="', text($name), '">', text($value), '</parameter>';
}
if ($content !== '' && !$isForm) {
    echo '<content>', text("$type: $content"), '</content>';
}
echo '</Received>';
