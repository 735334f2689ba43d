// A program that uses this transport configures its connection.
@_exported public import SignetConnection
