import SignetXML

// XML 1.0 §2.8, §3.2 to §3.4, §4: documents whose document type declaration is read (`XMLDoctype.internalEntities`). A
// defect inside the text of an entity is placed at the reference in the document.
extension HostileDocument {
    /// A document with an internal subset.
    private static func subset(_ name: String, _ code: XMLError.Code?, _ subset: String, _ root: String = "<a/>")
        -> Line
    {
        (name, code, "<!DOCTYPE a [\(subset)]>\(root)")
    }

    private static func levels(_ count: Int, _ width: Int) -> String {
        "<!ENTITY e0 'lol'>"
            + (0..<count).map { "<!ENTITY e\($0 + 1) '\(String(repeating: "&e\($0);", count: width))'>" }.joined()
    }

    private static let thousand = String(repeating: "x", count: 1000)

    static let bombs: [Line] = [
        subset("a billion laughs, read", .tooManyEntities, levels(9, 10), "<a>☠&e9;</a>"),
        subset("a billion laughs in a value", .tooManyEntities, levels(9, 10), "<a b='x☠&e9;'/>"),
        subset("a billion laughs in a default value", .tooManyEntities, levels(9, 10) + "<!ATTLIST a b CDATA '☠&e9;'>"),
        subset("a billion laughs behind a few", .tooManyEntities, levels(9, 10), "<a>&e1;&e2;&e3;☠&e9;</a>"),
        subset("a billion empty laughs", .tooManyEntities, levels(9, 10).replacing("lol", with: ""), "<a>☠&e9;</a>"),
        subset("laughs two by two", .tooManyEntities, levels(64, 2), "<a>☠&e64;</a>"),
        subset(
            "quadratic blow-up, read", .tooManyEntities, "<!ENTITY b '\(thousand)'>",
            "<a>\(String(repeating: "&b;", count: 254))☠&b;\(String(repeating: "&b;", count: 1000))</a>"),
        subset("a chain of entities", .tooDeep, levels(300, 1), "<a>☠&e300;</a>"),
        subset("a chain of entities in a value", .tooDeep, levels(300, 1), "<a b='☠&e300;'/>"),
        subset(
            "2,000 entities", .tooManyEntities, (1000..<2024).map { "<!ENTITY e\($0) ''>" }.joined() + "<!ENTITY☠ e ''>"
        ),
        subset(
            "2,000 parameter entities", .tooManyEntities,
            (1000..<2024).map { "<!ENTITY % e\($0) ''>" }.joined() + "<!ENTITY☠ e ''>"),
        subset(
            "levels by an entity", .tooDeep,
            "<!ENTITY b '\(String(repeating: "<b>", count: 300))\(String(repeating: "</b>", count: 300))'>",
            "<a>☠&b;</a>"),
        subset("a content model of 300 levels", .tooDeep, "<!ELEMENT a \(String(repeating: "(", count: 256))☠((b))>"),
        subset("few laughs", nil, levels(2, 4), "<a b='&e1;'>&e2;</a>"),
    ]

    static let entities: [Line] = [
        subset("an entity of itself, read", .malformed, "<!ENTITY b 'x&b;'>", "<a>☠&b;</a>"),
        subset("an entity of itself in a value", .malformed, "<!ENTITY b 'x&b;'>", "<a b='x☠&b;'/>"),
        subset("two entities of each other, read", .malformed, "<!ENTITY b '&c;'><!ENTITY c '&b;'>", "<a>☠&b;</a>"),
        subset(
            "three entities in a ring", .malformed, "<!ENTITY b '&c;'><!ENTITY c '&d;'><!ENTITY d '&b;'>", "<a>☠&c;</a>"
        ),
        subset("an entity of itself in a default value", .malformed, "<!ENTITY b '&b;'><!ATTLIST a c CDATA '☠&b;'>"),
        subset("an entity of itself without a reference to it", nil, "<!ENTITY b '&b;'>"),
        subset("an entity that is not declared", .malformed, "<!ENTITY b ''>", "<a>☠&c;</a>"),
        subset("an entity in another case", .malformed, "<!ENTITY b ''>", "<a>☠&B;</a>"),
        subset("an entity whose name is the start of another", .malformed, "<!ENTITY bc ''>", "<a>☠&b;</a>"),
        subset("an entity whose name begins with another", .malformed, "<!ENTITY b ''>", "<a>☠&bc;</a>"),
        subset(
            "entities whose names begin alike", nil, "<!ENTITY b '1'><!ENTITY bb '2'><!ENTITY bbb '3'>",
            "<a>&bbb;&b;&bb;</a>"),
        subset("an entity of an entity that is not declared", .malformed, "<!ENTITY b '&c;'>", "<a>☠&b;</a>"),
        subset("a default value of an entity declared behind", .malformed, "<!ATTLIST a c CDATA '☠&b;'><!ENTITY b ''>"),
        subset("a parameter entity is no general one", .malformed, "<!ENTITY % b ''>", "<a>☠&b;</a>"),
        subset("a reference before the root, read", .malformed, "<!ENTITY b ' '>", "☠&b;<a/>"),
        subset("a reference behind the root, read", .malformed, "<!ENTITY b ' '>", "<a/>☠&b;"),
        subset("a start tag in an entity", .malformed, "<!ENTITY b '<c>'>", "<a>☠&b;</c></a>"),
        subset("an end tag in an entity", .malformed, "<!ENTITY b '</c>'>", "<a><c>☠&b;</a>"),
        subset("the end tag of the root in an entity", .malformed, "<!ENTITY b '</a>'>", "<a>☠&b;"),
        subset("end and start in an entity", .malformed, "<!ENTITY b '</a><a>'>", "<a>☠&b;</a>"),
        subset("half a tag in an entity", .malformed, "<!ENTITY b '<c'>", "<a>☠&b;></a>"),
        subset("half a comment in an entity", .malformed, "<!ENTITY b '<!--'>", "<a>☠&b;--></a>"),
        subset("half a CDATA section in an entity", .malformed, "<!ENTITY b '<![CDATA['>", "<a>☠&b;]]></a>"),
        subset("half an instruction in an entity", .malformed, "<!ENTITY b '<?p '>", "<a>☠&b;?></a>"),
        subset("half a reference in an entity", .malformed, "<!ENTITY b '&#38;am'>", "<a>☠&b;p;</a>"),
        subset(
            "elements that cross through entities", .malformed, "<!ENTITY b '<c>'><!ENTITY d '</c>'>", "<a>☠&b;&d;</a>"),
        subset("an element that is not closed in an entity", .malformed, "<!ENTITY b '<c><d></c>'>", "<a>☠&b;</a>"),
        subset("a tag without a name in an entity", .malformed, "<!ENTITY b '<>'>", "<a>☠&b;</a>"),
        subset("]]> in an entity", .malformed, "<!ENTITY b ']]>'>", "<a>☠&b;</a>"),
        subset("an attribute twice in an entity", .malformed, "<!ENTITY b \"<c d='' d=''/>\">", "<a>☠&b;</a>"),
        subset("a prefix that nothing declares in an entity", .namespace, "<!ENTITY b '<p:c/>'>", "<a>☠&b;</a>"),
        subset("an XML declaration in an entity", .malformed, "<!ENTITY b \"<?xml version='1.0'?>\">", "<a>☠&b;</a>"),
        subset("a document type declaration in an entity", .malformed, "<!ENTITY b '<!DOCTYPE c>'>", "<a>☠&b;</a>"),
        subset("a reference made in two steps", .malformed, "<!ENTITY b '&#38;c;'>", "<a>☠&b;</a>"),
        subset("a less-than sign in a value by an entity", .malformed, "<!ENTITY b '<'>", "<a c='☠&b;'/>"),
        subset(
            "a less-than sign in a value by a reference in an entity", .malformed, "<!ENTITY b '&#60;'>",
            "<a c='☠&b;'/>"),
        subset(
            "a less-than sign in a value by two entities", .malformed, "<!ENTITY b '&c;'><!ENTITY c '&#x3C;'>",
            "<a d='x☠&b;'/>"),
        subset(
            "a less-than sign in a default value by an entity", .malformed,
            "<!ENTITY b '<c/>'><!ATTLIST a d CDATA '☠&b;'>"),
        subset("a less-than sign in a value by lt", nil, "<!ENTITY b '&lt;'>", "<a c='&b;'/>"),
        subset("a quote in a value by an entity", nil, "<!ENTITY b \"'\">", "<a c='&b;'/>"),
        subset("a bare ampersand by an entity", .malformed, "<!ENTITY b '&#38;'>", "<a>☠&b;</a>"),
        subset("an ampersand in an entity in two steps", nil, "<!ENTITY b '&#38;#38;'>", "<a>&b;</a>"),
        subset("a file as an entity, read", .doctypeRefused, "<!ENTITY b SYSTEM 'file:///etc/passwd'>", "<a>☠&b;</a>"),
        subset(
            "an address as an entity, read", .doctypeRefused, "<!ENTITY b PUBLIC 'x' 'http://127.0.0.1:1/'>",
            "<a>☠&b;</a>"),
        subset(
            "a file as an entity in a value", .malformed, "<!ENTITY b SYSTEM 'file:///etc/passwd'>", "<a c='☠&b;'/>"),
        subset(
            "a file as an entity inside an entity", .doctypeRefused, "<!ENTITY b SYSTEM 'x'><!ENTITY c '&b;'>",
            "<a>☠&c;</a>"),
        subset("a file as an entity without a reference to it", nil, "<!ENTITY b SYSTEM 'file:///dev/random'>"),
        subset(
            "an unparsed entity in a text", .malformed, "<!NOTATION n SYSTEM 'n'><!ENTITY b SYSTEM 'b' NDATA n>",
            "<a>☠&b;</a>"),
        subset(
            "an unparsed entity in a value", .malformed, "<!NOTATION n SYSTEM 'n'><!ENTITY b SYSTEM 'b' NDATA n>",
            "<a c='☠&b;'/>"),
        (
            "an entity that an external subset may declare", .doctypeRefused,
            "<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a>☠&b;</a>"
        ),
        ("an external subset that is not needed", nil, "<!DOCTYPE a PUBLIC '-//X//Y' 'file:///dev/random'><a/>"),
    ]

    static let malformedSubsets: [Line] = [
        subset("a parameter entity, referred to", .doctypeRefused, "<!ENTITY % b ''>☠%b;"),
        subset("a parameter entity that is not declared", .doctypeRefused, "☠%b;"),
        subset("a parameter entity in a declaration", .malformed, "<!ENTITY % b 'ANY'><!ELEMENT a ☠%b;>"),
        subset("a parameter entity in the value of an entity", .malformed, "<!ENTITY % b ''><!ENTITY c 'x☠%b;'>"),
        subset("a per cent sign in the value of an entity", .malformed, "<!ENTITY c '10 ☠% '>"),
        subset("an INCLUDE section in a subset", .doctypeRefused, "☠<![INCLUDE[<!ENTITY b ''>]]>"),
        subset("an IGNORE section in a subset", .doctypeRefused, "☠<![IGNORE[<!ENTITY b ''>]]>"),
        subset("a CDATA section in a subset", .doctypeRefused, "☠<![CDATA[x]]>"),
        subset("text in a subset", .malformed, "☠x"),
        subset("an element in a subset", .malformed, "☠<b/>"),
        subset("a reference in a subset", .malformed, "<!ENTITY b ''>☠&b;"),
        subset("a declaration of nothing in a subset", .malformed, "☠<!>"),
        subset("a declaration in small letters", .malformed, "☠<!entity b ''>"),
        subset("a declaration that is none", .malformed, "☠<!SHORTREF b>"),
        subset("a document type declaration in a subset", .malformed, "☠<!DOCTYPE b>"),
        subset("an XML declaration in a subset", .malformed, "<?xml☠ version='1.0'?>"),
        subset("a colon in a target in a subset", .namespace, "<?☠p:q?>"),
        subset("two hyphens in a comment in a subset", .malformed, "<!-- x ☠-- y -->"),
        subset("an entity without a name", .malformed, "<!ENTITY ☠'b'>"),
        subset("an entity without a space", .malformed, "<!ENTITY☠'b' 'c'>"),
        subset("an entity without a space before its value", .malformed, "<!ENTITY b☠'c'>"),
        subset("an entity without a value", .malformed, "<!ENTITY b ☠>"),
        subset("an entity with two values", .malformed, "<!ENTITY b 'c' ☠'d'>"),
        subset("an entity without quotes", .malformed, "<!ENTITY b ☠c>"),
        subset("an entity with a name that begins with a digit", .malformed, "<!ENTITY ☠1 'c'>"),
        subset("an entity with a colon", .namespace, "<!ENTITY ☠b:c 'd'>"),
        subset("an entity with a bare ampersand", .malformed, "<!ENTITY b 'c ☠& d'>"),
        subset("an entity with an incomplete reference", .malformed, "<!ENTITY b 'c☠&d'>"),
        subset("an entity with an incomplete character reference", .malformed, "<!ENTITY b '☠&#x;'>"),
        subset("an entity with a forbidden character", .invalidCharacter, "<!ENTITY b '☠&#0;'>"),
        subset("an entity with a surrogate", .invalidCharacter, "<!ENTITY b 'x☠&#xD800;'>"),
        subset("an entity with a control character", .invalidCharacter, "<!ENTITY b '☠«01»'>"),
        subset("a system entity without an identifier", .malformed, "<!ENTITY b SYSTEM☠>"),
        subset("a public entity with one identifier", .malformed, "<!ENTITY b PUBLIC 'c'☠>"),
        subset("a public entity without a space", .malformed, "<!ENTITY b PUBLIC 'c'☠'d'>"),
        subset("a public identifier with a brace", .malformed, "<!ENTITY b PUBLIC 'c☠{' 'd'>"),
        subset("an unparsed entity without a notation", .malformed, "<!ENTITY b SYSTEM 'c' NDATA☠>"),
        subset("an unparsed entity without a space", .malformed, "<!ENTITY b SYSTEM 'c'☠NDATA d>"),
        subset("an unparsed entity with a text", .malformed, "<!ENTITY b 'c' ☠NDATA d>"),
        subset("an unparsed parameter entity", .malformed, "<!ENTITY % b SYSTEM 'c' ☠NDATA d>"),
        subset("a parameter entity without a space", .malformed, "<!ENTITY %☠b 'c'>"),
        subset("a parameter entity without a space before the sign", .malformed, "<!ENTITY☠% b 'c'>"),
        subset("lt as something else", .malformed, "<!ENTITY ☠lt 'x'>"),
        subset("lt as itself", .malformed, "<!ENTITY ☠lt '<'>"),
        subset("amp as itself once escaped", .malformed, "<!ENTITY ☠amp '&#38;'>"),
        subset("amp outside the document", .malformed, "<!ENTITY ☠amp SYSTEM 'x'>"),
        subset(
            "the five as they have to be", nil,
            "<!ENTITY lt '&#38;#60;'><!ENTITY gt '&#62;'><!ENTITY amp '&#38;#38;'><!ENTITY apos '&#39;'><!ENTITY quot '&#34;'>",
            "<a>&lt;&gt;&amp;&apos;&quot;</a>"),
        subset("an element without a model", .malformed, "<!ELEMENT a☠>"),
        subset("an element with an empty model", .malformed, "<!ELEMENT a (☠)>"),
        subset("an element with two separators", .malformed, "<!ELEMENT a (b,c☠|d)>"),
        subset("an element with names side by side", .malformed, "<!ELEMENT a (b ☠c)>"),
        subset("an element with an open end", .malformed, "<!ELEMENT a (b,☠)>"),
        subset("an element with a model that is not closed", .malformed, "<!ELEMENT a (b☠>"),
        subset("an element with a model closed twice", .malformed, "<!ELEMENT a (b)☠)>"),
        subset("an element with a space before its occurrence", .malformed, "<!ELEMENT a (b) ☠*>"),
        subset("an element of mixed content without a star", .malformed, "<!ELEMENT a (#PCDATA|b)☠>"),
        subset("an element of mixed content with a comma", .malformed, "<!ELEMENT a (#PCDATA☠,b)*>"),
        subset("an element of mixed content the other way round", .malformed, "<!ELEMENT a (b|☠#PCDATA)*>"),
        subset("an element with another word", .malformed, "<!ELEMENT a ☠CDATA>"),
        subset("an element with exceptions as in SGML", .malformed, "<!ELEMENT a ☠- - (b)>"),
        subset("an attribute without a type", .malformed, "<!ATTLIST a b☠>"),
        subset("an attribute of another type", .malformed, "<!ATTLIST a b ☠NUMBER '1'>"),
        subset("an attribute without a default", .malformed, "<!ATTLIST a b CDATA☠>"),
        subset("an attribute with a value without quotes", .malformed, "<!ATTLIST a b CDATA ☠c>"),
        subset("an attribute with another word", .malformed, "<!ATTLIST a b CDATA ☠#CURRENT>"),
        subset("an attribute that is fixed to nothing", .malformed, "<!ATTLIST a b CDATA #FIXED☠>"),
        subset("an attribute of an empty enumeration", .malformed, "<!ATTLIST a b (☠) 'c'>"),
        subset("an attribute of an enumeration with commas", .malformed, "<!ATTLIST a b (c☠,d) 'c'>"),
        subset("an attribute with less-than in its default", .malformed, "<!ATTLIST a b CDATA '☠<'>"),
        subset("an attribute with a bad reference in its default", .malformed, "<!ATTLIST a b CDATA 'x☠& y'>"),
        subset("attributes without a space between", .malformed, "<!ATTLIST a b CDATA 'c'☠d CDATA 'e'>"),
        subset("a notation without an identifier", .malformed, "<!NOTATION n☠>"),
        subset("a notation with a colon", .namespace, "<!NOTATION ☠n:m SYSTEM 'n'>"),
        subset("a subset that goes on behind its end", .malformed, "] ☠x"),
        ("a subset without an end", .unexpectedEnd, "<!DOCTYPE a [<!ENTITY b 'c'>☠"),
        ("an entity without an end", .unexpectedEnd, "<!DOCTYPE a [<!ENTITY b 'c'☠"),
        ("a declaration without a name", .malformed, "<!DOCTYPE ☠><a/>"),
        ("a declaration without a space", .malformed, "<!DOCTYPE☠[]><a/>"),
        ("a declaration with a word", .malformed, "<!DOCTYPE a ☠x><a/>"),
        ("a declaration with a subset twice", .malformed, "<!DOCTYPE a []☠[]><a/>"),
        ("a declaration with an identifier behind the subset", .malformed, "<!DOCTYPE a [] ☠SYSTEM 'x'><a/>"),
        ("a declaration with one public identifier", .malformed, "<!DOCTYPE a PUBLIC 'x'☠><a/>"),
        ("a second declaration, read", .doctypeRefused, "<!DOCTYPE a>☠<!DOCTYPE a><a/>"),
        ("a declaration behind the root, read", .doctypeRefused, "<a/>☠<!DOCTYPE a>"),
        ("a declaration and no root, read", .unexpectedEnd, "<!DOCTYPE a>☠"),
    ]
}
