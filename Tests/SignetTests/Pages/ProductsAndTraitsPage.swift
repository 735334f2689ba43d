// The code of ProductsAndTraits.md. It is compiled, and DocumentationTests compares it with the page.

@_exported public import Signet
@_exported public import SignetObservability
