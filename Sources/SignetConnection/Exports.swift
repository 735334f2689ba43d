// A program that configures a connection also needs the types of its values.
@_exported public import Logging
@_exported public import SignetAuthentication
@_exported public import SignetCredentials
@_exported public import SignetHTTP
@_exported public import SignetTLS
