// A program that configures a connection needs the values that it is made of.
@_exported public import Logging
@_exported public import SignetAuthentication
@_exported public import SignetCredentials
@_exported public import SignetHTTP
@_exported public import SignetTLS
