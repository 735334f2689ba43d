// The plugin generates everything in this module from the WSDLs that `scripts/test` copies into `wsdl`.
