// Generated code and its users need the value types and the types of the transport together with this module.
@_exported public import SignetHTTP
@_exported public import SignetXML
