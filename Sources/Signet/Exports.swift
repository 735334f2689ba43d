// One import for an application: calls, values, identities, trust, credentials.
@_exported public import Logging
@_exported public import SignetAuthentication
@_exported public import SignetConnection
@_exported public import SignetCredentials
@_exported public import SignetDiagnosis
@_exported public import SignetHTTP
@_exported public import SignetKerberos
@_exported public import SignetOAuth
@_exported public import SignetSOAP
@_exported public import SignetTLS
