"""Judges SOAP messages by the schemas of a WSDL, with libxml2: validate.py WSDL ENVELOPE…

Prints a line for each error, and nothing when all is well. Schemas are read from files only. What libxml2 itself cannot
compile is an error as well.
"""

import pathlib
import sys

import lxml.etree

XS = "{http://www.w3.org/2001/XMLSchema}"
ENVELOPES = ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")


def compiled(wsdl):
    """The schemas inside a WSDL as one. Each becomes a file beside the WSDL, so that relative imports keep their meaning."""
    inline = lxml.etree.parse(wsdl).findall(f".//{XS}schema")
    names = {schema.get("targetNamespace"): f"{wsdl.name}-{number}.xsd" for number, schema in enumerate(inline)}
    whole = lxml.etree.Element(f"{XS}schema")
    for schema in inline:
        namespace = schema.get("targetNamespace")
        for reference in schema.findall(f"{XS}import"):
            # Another schema of the same WSDL is imported by its namespace alone.
            if reference.get("schemaLocation") is None and reference.get("namespace") in names:
                reference.set("schemaLocation", names[reference.get("namespace")])
        (wsdl.parent / names[namespace]).write_bytes(lxml.etree.tostring(schema))
        lxml.etree.SubElement(
            whole, f"{XS}import", {"namespace": namespace, "schemaLocation": names[namespace]})
        # A schema that only imports is passed over by libxml2 when it is imported itself.
        for reference in schema.findall(f"{XS}import"):
            if reference.get("schemaLocation") is not None and reference.get("namespace") not in names:
                lxml.etree.SubElement(whole, f"{XS}import", dict(reference.attrib))
    root = wsdl.parent / f"{wsdl.name}.xsd"
    root.write_bytes(lxml.etree.tostring(whole))
    return lxml.etree.XMLSchema(lxml.etree.parse(root))


def main():
    schema = compiled(pathlib.Path(sys.argv[1]))
    for path in sys.argv[2:]:
        envelope = lxml.etree.parse(path).getroot()
        bodies = [body for uri in ENVELOPES for body in envelope.findall(f"{{{uri}}}Body")]
        if len(bodies) != 1 or len(bodies[0]) != 1:
            print(f"{path}: no body with one element")
        elif not schema.validate(bodies[0][0]):
            for error in schema.error_log:
                print(f"{path}: {error.message}")


if __name__ == "__main__":
    main()
