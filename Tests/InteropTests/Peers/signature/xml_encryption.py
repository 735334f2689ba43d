"""XML encryption of pybergshamra (Rust).

xml_encryption.py decrypt DOCUMENT KEY             prints the document with what was encrypted
xml_encryption.py encrypt TEMPLATE KEY CONTENT [ORIGINATOR]
    prints the template, an EncryptedData whose values are empty, with the content. For a key agreement, ORIGINATOR is the file with the
    sender's key; the template calls the two keys “originator” and “recipient”.
"""
import sys
import pybergshamra

command, document, key, *rest = sys.argv[1:]
read = lambda path: open(path, "rb").read()
keys = pybergshamra.KeysManager()
for name, path in [("recipient", key)] + [("originator", path) for path in rest[1:]]:
    loaded = pybergshamra.load_key_file(path)
    loaded.name = name
    keys.add_key(loaded)
context = pybergshamra.EncContext(keys)
if command == "decrypt":
    sys.stdout.write(pybergshamra.decrypt(context, read(document).decode()))
else:
    sys.stdout.write(pybergshamra.encrypt(context, read(document).decode(), read(rest[0])))
