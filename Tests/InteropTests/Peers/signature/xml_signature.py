"""XML signatures of signxml (lxml, cryptography) and of pybergshamra (Rust).

xml_signature.py verify LIBRARY DOCUMENT CERTIFICATE      succeeds when the certificate's key signed the document
xml_signature.py sign LIBRARY TEMPLATE KEY CERTIFICATE    prints the signed document

A template is a document whose Signature has empty values; its algorithms are used. The attribute Id identifies elements.
"""
import re, sys
import pybergshamra
from lxml import etree
from signxml import DigestAlgorithm, SignatureConfiguration, SignatureMethod, XMLSigner, XMLVerifier, methods
from signxml.algorithms import CanonicalizationMethod

command, library, document, *files = sys.argv[1:]
DS = "{http://www.w3.org/2000/09/xmldsig#}"
read = lambda path: open(path, "rb").read()


def bergshamra():
    keys = pybergshamra.KeysManager()
    for path in files:
        keys.add_key(pybergshamra.load_key_file(path))
    return pybergshamra.DsigContext(keys, trusted_keys_only=True)


if command == "verify" and library == "signxml":
    every = SignatureConfiguration(expect_references=True, signature_methods=frozenset(SignatureMethod),
                                   digest_algorithms=frozenset(DigestAlgorithm))
    XMLVerifier().verify(read(document), x509_cert=read(files[0]).decode(), id_attribute="Id", expect_config=every)
elif command == "verify":
    result = pybergshamra.verify(bergshamra(), read(document).decode())
    if not result or not result.all_reference_digests_verified:
        sys.exit(f"pybergshamra: {result.reason}")
elif library == "signxml":
    root = etree.fromstring(read(document))
    template = root.find(f".//{DS}Signature")
    algorithm = lambda name: [e.get("Algorithm") for e in template.iter(DS + name)]
    uri = template.find(f".//{DS}Reference").get("URI")
    signer = XMLSigner(method=methods.enveloped, signature_algorithm=SignatureMethod(algorithm("SignatureMethod")[0]),
                       digest_algorithm=DigestAlgorithm(algorithm("DigestMethod")[0]),
                       c14n_algorithm=CanonicalizationMethod(algorithm("CanonicalizationMethod")[0]))
    template.getparent().remove(template)
    signed = signer.sign(root, key=read(files[0]), cert=read(files[1]).decode(), reference_uri=uri or None, id_attribute="Id")
    sys.stdout.buffer.write(etree.tostring(signed))
else:
    sys.stdout.write(pybergshamra.sign(bergshamra(), read(document).decode()))
