import SignetXML

// Namespaces in XML 1.0: §3 (declarations), §4 (qualified names), §5 (applying), §6.3 (unique attributes).
extension HostileDocument {
    private static let xml = "http://www.w3.org/XML/1998/namespace"
    private static let xmlns = "http://www.w3.org/2000/xmlns/"

    static let namespaces: [Line] = [
        ("an element's prefix that nothing declares", .namespace, "<☠p:a/>"),
        ("a child's prefix that nothing declares", .namespace, "<a><☠p:b/></a>"),
        ("an attribute's prefix that nothing declares", .namespace, "<a ☠p:b='1'/>"),
        ("a second attribute's prefix that nothing declares", .namespace, "<a xmlns:p='urn:1' p:b='1' ☠q:b='1'/>"),
        ("a prefix declared by a child", .namespace, "<☠p:a><p:b xmlns:p='urn:1'/></p:a>"),
        ("a prefix declared by a sibling", .namespace, "<a><b xmlns:p='urn:1'/><☠p:c/></a>"),
        ("a prefix declared by a sibling with content", .namespace, "<a><p:b xmlns:p='urn:1'>x</p:b><☠p:c/></a>"),
        ("an attribute's prefix declared by a child", .namespace, "<a ☠p:b='1'><c xmlns:p='urn:1'/></a>"),
        ("a prefix in another case", .namespace, "<☠P:a xmlns:p='urn:1'/>"),
        ("a prefix that is the start of another", .namespace, "<☠p:a xmlns:pq='urn:1'/>"),
        ("a prefix that begins with another", .namespace, "<☠pq:a xmlns:p='urn:1'/>"),
        ("a default namespace does not declare a prefix", .namespace, "<a xmlns='urn:1'><☠p:b/></a>"),
        ("the prefix xmlns on an element", .namespace, "<☠xmlns:a/>"),
        ("the prefix xmlns on a child", .namespace, "<a xmlns:p='urn:1'><☠xmlns:p/></a>"),
        ("the prefix XML", .namespace, "<☠XML:a/>"),
        ("a prefix bound to nothing", .namespace, "<a ☠xmlns:p=''/>"),
        ("a prefix bound to nothing again", .namespace, "<a xmlns:p='urn:1'><b ☠xmlns:p=''/></a>"),
        ("xml bound to another namespace", .namespace, "<a ☠xmlns:xml='urn:1'/>"),
        ("xml bound to nothing", .namespace, "<a ☠xmlns:xml=''/>"),
        ("xml bound to a namespace almost right", .namespace, "<a ☠xmlns:xml='\(xml)/'/>"),
        ("xmlns bound to another namespace", .namespace, "<a ☠xmlns:xmlns='urn:1'/>"),
        ("xmlns bound to its own namespace", .namespace, "<a ☠xmlns:xmlns='\(xmlns)'/>"),
        ("xmlns bound to nothing", .namespace, "<a ☠xmlns:xmlns=''/>"),
        ("another prefix for the namespace of xml", .namespace, "<a ☠xmlns:p='\(xml)'/>"),
        ("the namespace of xml as the default", .namespace, "<a ☠xmlns='\(xml)'/>"),
        ("another prefix for the namespace of xmlns", .namespace, "<a ☠xmlns:p='\(xmlns)'/>"),
        ("the namespace of xmlns as the default", .namespace, "<a ☠xmlns='\(xmlns)'/>"),
        (
            "the namespace of xml written with a reference", .namespace,
            "<a ☠xmlns:p='http://www.w3.org/XML/1998/&#110;amespace'/>"
        ),
        (
            "the namespace of xmlns written with a reference", .namespace,
            "<a ☠xmlns:p='http://www.w3.org/2000/xmlns&#x2F;'/>"
        ),
        ("nothing written with line ends is something", nil, "<a xmlns:p='\n'/>"),
        ("a default namespace twice", .malformed, "<a xmlns='urn:1' ☠xmlns='urn:2'/>"),
        ("a default namespace and none", .malformed, "<a xmlns='urn:1' ☠xmlns=''/>"),
        ("a prefix declared twice", .malformed, "<a xmlns:p='urn:1' ☠xmlns:p='urn:1'/>"),
        ("a prefix declared twice in another way", .malformed, "<a xmlns:p='urn:1' ☠xmlns:p='urn:2'/>"),
        ("xml declared twice", .malformed, "<a xmlns:xml='\(xml)' ☠xmlns:xml='\(xml)'/>"),
        ("an attribute twice by two prefixes", .malformed, "<a xmlns:p='urn:1' xmlns:q='urn:1' p:b='1' ☠q:b='2'/>"),
        ("an attribute twice before its prefixes", .malformed, "<a p:b='1' ☠q:b='2' xmlns:p='urn:1' xmlns:q='urn:1'/>"),
        (
            "an attribute twice by prefixes from around", .malformed,
            "<a xmlns:p='urn:1'><b xmlns:q='urn:1' p:b='1' ☠q:b='2'/></a>"
        ),
        (
            "an attribute twice by a name with a reference", .malformed,
            "<a xmlns:p='urn:1' xmlns:q='urn:&#49;' p:b='1' ☠q:b='2'/>"
        ),
        ("an attribute twice by a name with a space", .malformed, "<a xmlns:p='1 2' xmlns:q='1\n2' p:b='1' ☠q:b='2'/>"),
        ("an attribute twice by one prefix", .malformed, "<a xmlns:p='urn:1' p:b='1' ☠p:b='2'/>"),
        ("an attribute of xml twice", .malformed, "<a xml:lang='1' ☠xml:lang='2'/>"),
        (
            "an attribute twice by two prefixes among many", .malformed,
            "<a xmlns:p='urn:1' xmlns:q='urn:1' b='' c='' d='' e='' f='' g='' h='' i='' j='' k='' p:b='' l='' ☠q:b='' m=''/>"
        ),
        ("an end tag with another prefix", .malformed, "<p:a xmlns:p='urn:1' xmlns:q='urn:1'>☠</q:a>"),
        ("an end tag without the prefix", .malformed, "<p:a xmlns:p='urn:1' xmlns='urn:1'>☠</a>"),
        ("an end tag with a prefix", .malformed, "<a xmlns='urn:1' xmlns:p='urn:1'>☠</p:a>"),
        ("an end tag of the local name only", .malformed, "<p:a xmlns:p='urn:1'>☠</a>"),
        ("an attribute with and without a prefix", nil, "<p:a xmlns:p='urn:1' xmlns='urn:1' b='1' p:b='2'/>"),
        ("xml bound rightly", nil, "<a xmlns:xml='\(xml)' xml:lang='x'><xml:b/></a>"),
        ("no default namespace", nil, "<a xmlns=''><b xmlns='urn:1'><c xmlns=''/></b></a>"),
        ("a prefix bound anew", nil, "<p:a xmlns:p='urn:1'><p:b xmlns:p='urn:2' p:c=''/><p:c/></p:a>"),
        (
            "names like xmlns", nil,
            "<xmlns><XMLNS:a xmlns:XMLNS='urn:1' XMLNS:b=''/><xmlnsx xmlnsx=''/><xmln xmln=''/></xmlns>"
        ),
        ("namespaces that differ in case", nil, "<a xmlns:p='urn:A' xmlns:q='urn:a' p:b='' q:b=''/>"),
        ("namespaces that differ in a space", nil, "<a xmlns:p='urn:a' xmlns:q='urn:a ' p:b='' q:b=''/>"),
        ("namespaces that differ in an escape", nil, "<a xmlns:p='urn:a' xmlns:q='urn:%61' p:b='' q:b=''/>"),
        ("a namespace that is no URI", nil, "<p:a xmlns:p='%% not a URI &lt;é&gt;'/>"),
    ]

    static let colons: [Line] = [
        ("two colons in an element's name", .namespace, "<a:b☠:c xmlns:a='urn:1'/>"),
        ("two colons side by side", .namespace, "<a:☠:b xmlns:a='urn:1'/>"),
        ("a colon at the start of an element's name", .namespace, "<☠:a/>"),
        ("a colon at the end of an element's name", .namespace, "<a:☠/>"),
        ("a colon at the end of an element's name, and a space", .namespace, "<a:☠ b='1'/>"),
        ("a colon only", .namespace, "<☠:/>"),
        ("two colons only", .namespace, "<☠::/>"),
        ("a local name that begins with a digit", .namespace, "<a:☠1 xmlns:a='urn:1'/>"),
        ("a local name that begins with a hyphen", .namespace, "<a:☠-b xmlns:a='urn:1'/>"),
        ("a colon at the start of an attribute's name", .namespace, "<a ☠:b='1'/>"),
        ("a colon at the end of an attribute's name", .namespace, "<a b:☠='1'/>"),
        ("two colons in an attribute's name", .namespace, "<a xmlns:b='urn:1' b:c☠:d='1'/>"),
        ("a declaration of an empty prefix", .namespace, "<a xmlns:☠='urn:1'/>"),
        ("a declaration of a prefix with a colon", .namespace, "<a xmlns:p☠:q='urn:1'/>"),
        ("a declaration of a prefix that begins with a digit", .namespace, "<a xmlns:☠1='urn:1'/>"),
        ("an end tag with a colon", .malformed, "<a>☠</:a>"),
        ("an end tag with two colons", .malformed, "<p:a xmlns:p='urn:1'>☠</p::a>"),
        ("colons in values and texts", nil, "<a b=':'>::</a>"),
    ]
}
