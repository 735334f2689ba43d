// The fields, methods and statuses in this module's declarations: a program that uses them needs no import of its own.
@_exported public import HTTPTypes
