#if CommandLine
/// The files of the console's page, which are part of the program.
enum ConsolePage {
    private static let files: [String: (type: String, content: [UInt8])] = [
        "": ("text/html; charset=utf-8", PackageResources.index_html),
        "console.css": ("text/css; charset=utf-8", PackageResources.console_css),
        "basics.js": (script, PackageResources.basics_js), "console.js": (script, PackageResources.console_js),
        "form.js": (script, PackageResources.form_js), "views.js": (script, PackageResources.views_js),
    ]

    private static let script = "text/javascript; charset=utf-8"

    static func file(_ path: Substring) -> (type: String, content: [UInt8])? { files[String(path)] }
}
#endif
