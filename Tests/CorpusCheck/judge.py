"""Lets two independent validators judge instances by the schemas of a WSDL: libxml2 (xmllint) and xmlschema.

Usage: judge.py CASE.json
The case names the documents that hold schemas, and the instances. Prints one JSON object: for each judge, why it could not
read the schemas, or the instances that it refuses, each with its reason.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import warnings
from xml.dom import minidom

XS = "http://www.w3.org/2001/XMLSchema"


def scope(node):
    """The namespace declarations that hold at a node."""
    found = {}
    while node is not None and node.nodeType == node.ELEMENT_NODE:
        for name, value in node.attributes.items():
            if name == "xmlns" or name.startswith("xmlns:"):
                found.setdefault(name, value)
        node = node.parentNode
    return found


def schemas(path):
    """The schema elements of a document, self-contained."""
    with open(path, "rb") as file:
        document = minidom.parseString(file.read().lstrip())
    for node in document.getElementsByTagNameNS(XS, "schema"):
        for name, value in scope(node).items():
            node.setAttribute(name, value)
        yield node


def children(node, *names):
    return [
        child
        for child in node.childNodes
        if child.nodeType == child.ELEMENT_NODE and child.namespaceURI == XS and child.localName in names
    ]


def resolve(location, base, catalog):
    location = catalog.get(location, location)
    if re.match(r"^[a-z]+://", location):
        return None
    return os.path.realpath(os.path.join(os.path.dirname(base), location))


class Folder:
    """Copies of all schemas in which imports name one file a namespace."""

    def __init__(self, folder, case):
        self.folder = folder
        self.catalog = case.get("catalog", {})
        nodes = [(path, node) for path in case["documents"] for node in schemas(path)]
        self.files = {}
        for number, (path, node) in enumerate(nodes):
            if path not in self.files and node.parentNode.nodeType == node.DOCUMENT_NODE:
                self.files[os.path.realpath(path)] = f"d{number}.xsd"
        included = set()
        for path, node in nodes:
            for use in children(node, "redefine"):
                target = resolve(use.getAttribute("schemaLocation"), path, self.catalog)
                if target in self.files:
                    included.add(self.files[target])
        self.namespaces = {}
        for number, (path, node) in enumerate(nodes):
            name = f"d{number}.xsd"
            target = node.getAttribute("targetNamespace")
            # Without a namespace it is either included by others or has to be imported as it is.
            if name not in included:
                self.namespaces.setdefault(target, []).append(name)
        for number, wrapper in enumerate(case.get("wrappers", [])):
            self.namespaces.setdefault(wrapper["namespace"], []).append(f"w{number}.xsd")
        self.chameleons = set()
        for path, node in nodes:
            for use in children(node, "include", "redefine"):
                target = resolve(use.getAttribute("schemaLocation"), path, self.catalog)
                if node.getAttribute("targetNamespace") and target in self.files:
                    self.chameleons.add(self.files[target])
        for number, (path, node) in enumerate(nodes):
            self.copy(f"d{number}.xsd", path, node)
        self.write_wrappers(case.get("wrappers", []))
        for number, (namespace, files) in enumerate(sorted(self.namespaces.items())):
            self.write_namespace(f"n{number}.xsd", namespace, files)
        # Only a schema with a namespace may import what has none (XML Schema Part 1 §4.2.3).
        lines = [f'<xs:schema xmlns:xs="{XS}" targetNamespace="urn:signet:judge">']
        for number, namespace in enumerate(sorted(self.namespaces)):
            attribute = f' namespace="{escape(namespace)}"' if namespace else ""
            lines.append(f'<xs:import{attribute} schemaLocation="n{number}.xsd"/>')
        self.driver = self.write("driver.xsd", "\n".join(lines + ["</xs:schema>"]))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def file_of(self, namespace):
        names = sorted(self.namespaces)
        return f"n{names.index(namespace)}.xsd" if namespace in names else None

    def copy(self, name, path, node):
        target = node.getAttribute("targetNamespace")
        for use in children(node, "import"):
            file = self.file_of(use.getAttribute("namespace"))
            if file:
                use.setAttribute("schemaLocation", file)
            elif use.hasAttribute("schemaLocation"):
                use.removeAttribute("schemaLocation")
        for use in children(node, "include", "redefine"):
            file = self.files.get(resolve(use.getAttribute("schemaLocation"), path, self.catalog))
            own = file and self.target(file)
            if use.localName == "include" and (not file or own or not target):
                node.removeChild(use)
            elif file:
                use.setAttribute("schemaLocation", file)
        self.write(name, self.importing(node, target))

    def importing(self, node, target):
        """The schema with an import of each namespace that it refers to; many WSDLs leave that out."""
        text = node.toxml()
        imported = {use.getAttribute("namespace") for use in children(node, "import")}
        for prefix, namespace in sorted(scope(node).items()):
            used = prefix.startswith("xmlns:") and f'"{prefix[6:]}:' in text
            if not used or namespace in imported or namespace in (target, XS) or not self.file_of(namespace):
                continue
            use = node.ownerDocument.createElementNS(XS, "import")
            use.setAttribute("xmlns", XS)
            use.setAttribute("namespace", namespace)
            use.setAttribute("schemaLocation", self.file_of(namespace))
            node.insertBefore(use, node.firstChild)
            imported.add(namespace)
        return node.toxml()

    def target(self, file):
        return any(namespace and file in files for namespace, files in self.namespaces.items())

    def write_namespace(self, name, namespace, files):
        if not namespace:
            others = [file for file in files if file not in self.chameleons]
            # Elements made up for messages are no schema of the WSDL's.
            files = others if any(not file.startswith("w") for file in others) else files
        attribute = f' targetNamespace="{escape(namespace)}"' if namespace else ""
        lines = [f'<xs:schema xmlns:xs="{XS}"{attribute}>']
        lines += [f'<xs:include schemaLocation="{file}"/>' for file in files]
        self.write(name, "\n".join(lines + ["</xs:schema>"]))

    def write_wrappers(self, wrappers):
        """Elements that stand for the operations in RPC style, and for parts that name a type."""
        for number, wrapper in enumerate(wrappers):
            uses = [wrapper["type"]] if wrapper.get("type") else wrapper["parts"]
            prefixes = {namespace: f"t{index}:" for index, namespace in enumerate(sorted({use["namespace"] for use in uses}))}
            declared = [f'xmlns:{prefix[:-1]}="{escape(name)}"' for name, prefix in prefixes.items() if name]
            prefixes[""] = ""
            attribute = f' targetNamespace="{escape(wrapper["namespace"])}"' if wrapper["namespace"] else ""
            lines = [f'<xs:schema xmlns:xs="{XS}" {" ".join(declared)}{attribute}>']
            for namespace in sorted(set(prefixes) - {XS, wrapper["namespace"]}):
                file = self.file_of(namespace)
                name = f' namespace="{escape(namespace)}"' if namespace else ""
                if file and any(use["namespace"] == namespace for use in uses):
                    lines.append(f'<xs:import{name} schemaLocation="{file}"/>')
            named = [prefixes[use["namespace"]] + (use.get("type") or use["element"]) for use in uses]
            if wrapper.get("type"):
                lines.append(f'<xs:element name="{wrapper["name"]}" type="{named[0]}"/>')
            else:
                lines.append(f'<xs:element name="{wrapper["name"]}"><xs:complexType><xs:sequence>')
                for part, name in zip(uses, named):
                    kind = f'name="{part.get("name")}" type="{name}" form="unqualified"' if part.get("type") else f'ref="{name}"'
                    lines.append(f"<xs:element {kind}/>")
                lines.append("</xs:sequence></xs:complexType></xs:element>")
            self.write(f"w{number}.xsd", "\n".join(lines + ["</xs:schema>"]))


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def ask_xmllint(driver, instances):
    refused = {}
    for start in range(0, len(instances), 200):
        run = subprocess.run(
            ["xmllint", "--noout", "--nonet", "--schema", driver] + instances[start : start + 200],
            capture_output=True, text=True, errors="replace", timeout=600,
        )
        if "WXS schema" in run.stderr and "failed to compile" in run.stderr:
            lines = [line for line in run.stderr.splitlines() if "error" in line]
            return {"unusable": (lines or ["the schemas do not compile"])[0][:400]}
        reasons = {}
        for line in run.stderr.splitlines():
            match = re.match(r"^(.*?):\d+: (?:element|parser|namespace)?.*?error : (.*)$", line)
            if match:
                reasons.setdefault(match.group(1), match.group(2))
            match = re.match(r"^(.*) fails to validate$", line)
            if match:
                refused[match.group(1)] = reasons.get(match.group(1), "not valid")[:400]
    return {"refused": refused}


def is_float_after_all(error):
    """Whether a value is one of an enumeration of xs:float, which has 32 bits: xmlschema compares 64."""
    kind = getattr(getattr(error.validator, "base_type", None), "primitive_type", None)
    options = getattr(error.validator, "enumeration", None)
    if not options or kind is None or kind.local_name != "float":
        return False
    return struct.pack("f", float(error.obj)) in [struct.pack("f", float(option)) for option in options]


def ask_xmlschema(driver, instances):
    import xmlschema

    warnings.simplefilter("ignore")
    try:
        schema = xmlschema.XMLSchema10(driver, validation="lax", allow="local", defuse="never")
    except Exception as error:
        return {"unusable": str(error).splitlines()[0][:400]}
    refused = {}
    for instance in instances:
        try:
            error = next((error for error in schema.iter_errors(instance) if not is_float_after_all(error)), None)
            if error is not None:
                refused[instance] = f"{error.path}: {error.reason}"[:400]
        except Exception as error:
            refused[instance] = f"{type(error).__name__}: {error}"[:400]
    return {"refused": refused}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        case = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        try:
            driver = Folder(folder, case).driver
        except Exception as error:
            reason = {"unusable": f"{type(error).__name__}: {error}"[:400]}
            print(json.dumps({"xmllint": reason, "xmlschema": reason}))
            return
        answers = {}
        for name, ask in (("xmllint", ask_xmllint), ("xmlschema", ask_xmlschema)):
            try:
                answers[name] = ask(driver, case["instances"])
            except Exception as error:
                answers[name] = {"unusable": f"{type(error).__name__}: {error}"[:400]}
        print(json.dumps(answers))


main()
