// A program that uses this transport also configures its connections.
@_exported public import SignetConnection
