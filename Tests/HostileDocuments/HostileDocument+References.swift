import SignetXML

// XML 1.0 §4.1 (references) and §2.4 (character data).
extension HostileDocument {
    /// Every reference in a text, in an attribute's value and in a namespace declaration.
    static let references: [Line] =
        (unknownReferences.map { ($0, XMLError.Code.malformed) }
        + forbiddenReferences.map { ($0, XMLError.Code.invalidCharacter) }
        + allowedReferences.map { ($0, XMLError.Code?.none) })
        .flatMap { (reference: String, code: XMLError.Code?) -> [Line] in
            let shown = reference.unicodeScalars.count > 40 ? "\(reference.prefix(20))…" : reference
            let mark = code == nil ? "" : "☠"
            return [
                ("the text “\(shown)”", code, "<a>\(mark)\(reference)</a>"),
                ("the value “\(shown)”", code, "<a b='x\(mark)\(reference)'/>"),
                ("the namespace “\(shown)”", code, "<a xmlns:p='x\(mark)\(reference)'/>"),
            ]
        }

    private static let unknownReferences = [
        "&", "& ", "&;", "& amp;", "&amp", "&amp ;", "&AMP;", "&Amp;", "&nbsp;", "&lt", "&ltx;", "&quote;", "&a.b;",
        "&#;", "&#x;", "&#X41;", "&#x41", "&#65", "&#a;", "&#xg;", "&#-1;", "&#+65;", "&# 65;", "&#x 41;", "&#65 ;",
        "&#1_0;", "&#0x41;", "&#65,;", "&&amp;", "&&", "&#1.0;", "&#１;", "&é;", "&amp:x;", "&#x41&#x41;", "&1;", "&-;",
        "&#38amp;", "&#x26lt;", "&lt&gt;", "&amp\n;", "&#x\u{2028}41;",
    ]

    private static let forbiddenReferences =
        [
            "&#0;", "&#x0;", "&#00000;", "&#1;", "&#8;", "&#11;", "&#12;", "&#14;", "&#31;", "&#x1f;", "&#xD800;",
            "&#xDBFF;", "&#xDC00;", "&#xdfff;", "&#55296;", "&#xD83D;&#xDE00;", "&#xFFFE;", "&#xFFFF;", "&#65534;",
            "&#x110000;", "&#1114112;", "&#2147483648;", "&#4294967296;", "&#4294967337;", "&#x100000041;",
            "&#18446744073709551681;", "&#x10000000000000041;", "&#xFFFFFFFFFFFFFFFF;",
        ] + ["&#\(String(repeating: "9", count: 1000));", "&#x\(String(repeating: "F", count: 1000));"]

    private static let allowedReferences =
        [
            "&amp;&lt;&gt;&quot;&apos;", "&#9;&#10;&#13;", "&#x7F;&#x85;&#x9F;", "&#xD7FF;&#xE000;&#xFFFD;",
            "&#x10000;&#x1FFFE;&#x10FFFF;", "&#60;&#38;#38;", "&amp;bogus;", "%bogus;", "&#xfDd0;",
        ] + ["&#\(String(repeating: "0", count: 1000))65;", "&#x\(String(repeating: "0", count: 1000))41;"]

    static let texts: [Line] = [
        ("]]>", .malformed, "<a>☠]]></a>"),
        ("]]> between texts", .malformed, "<a>one☠]]>two</a>"),
        ("three brackets before >", .malformed, "<a>]☠]]></a>"),
        ("many brackets before >", .malformed, "<a>]]]]]]]]]]]☠]]></a>"),
        ("]]> behind a reference", .malformed, "<a>&amp;☠]]></a>"),
        ("]]> before a bad reference", .malformed, "<a>☠]]>&bad;</a>"),
        ("]]> behind a line end", .malformed, "<a>\r\n☠]]></a>"),
        ("]]> behind a child", .malformed, "<a><b/>☠]]></a>"),
        ("]]> before a child", .malformed, "<a>☠]]><b/></a>"),
        ("]]> behind a comment", .malformed, "<a><!-- -->☠]]></a>"),
        ("]]> behind a CDATA section", .malformed, "<a><![CDATA[x]]>☠]]></a>"),
        ("]]> far behind", .malformed, "<a>0123456789012345678901234567890123456789☠]]>01234567890123456789</a>"),
        ("a CDATA section in a CDATA section", .malformed, "<a><![CDATA[<![CDATA[x]]>☠]]></a>"),
        ("]]&gt;", nil, "<a>]]&gt;</a>"),
        ("]]&#62;", nil, "<a>]]&#62;</a>"),
        ("]&#93;>", nil, "<a>]&#93;></a>"),
        ("]] >", nil, "<a>]] >]\n]></a>"),
        ("]]> around a comment", nil, "<a>]]<!-- -->></a>"),
        ("]]> around an instruction", nil, "<a>]<?p?>]></a>"),
        ("]]> around a child", nil, "<a>]]<b/>></a>"),
        ("]]> around CDATA sections", nil, "<a><![CDATA[]]]]><![CDATA[>]]></a>"),
        ("]]> as a value", nil, "<a b=']]>'>]]</a>"),
    ]
}
