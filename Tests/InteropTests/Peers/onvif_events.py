"""Devices with an event service, as ONVIF's Core Specification has it, with nothing but Python's own library.

onvif_events.py PORT FOLDER MODE [SECONDS]: each message is noted in "calls": path, operation, whether it has a token, and what became of
it. Events are counted from 1; those that were put into a queue are in "queued", one a line, so that a test can compare them with what it
got. A pull point is known by a path and by a header block that the client has to send back.

correct   a pull prolongs the subscription, as it does since 24.12; Renew is unknown. Two events a second.
renewing  a pull prolongs nothing, Renew does; a subscription lasts SECONDS. Two events a second.
dying     as "correct", but the device forgets each subscription after SECONDS.
empty     answers at once, always without events.
quiet     has no events, and waits as it should.
elsewhere reports an address of another host, where the test listens, for the pull point.
huge      an answer with 5,000 notifications.
fat       an answer of 16 MB.
unstable  closes every third connection instead of an answer to PullMessages, whose events are lost.
limited   wants waits of at most 1 s and 3 notifications.
forbidden refuses PullMessages: NotAuthorized.
"""
import datetime
import http.server
import os
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

PORT, FOLDER, MODE = int(sys.argv[1]), sys.argv[2], sys.argv[3]
SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 4
SOAP = "{http://www.w3.org/2003/05/soap-envelope}"
EVENTS = "http://www.onvif.org/ver10/events/wsdl"
WSNT = "http://docs.oasis-open.org/wsn/b-2"
WSA = "http://www.w3.org/2005/08/addressing"
VENDOR = "urn:example:camera"
# The clock of the device is wrong, as often.
CLOCK = datetime.timedelta(days=-4000)
lock = threading.Condition()
points, counts = {}, {"events": 0, "points": 0, "pulls": 0}
REFUSAL = ("NotAuthorized", "http://www.onvif.org/ver10/error", "")
UNKNOWN = ("ResourceUnknown", "http://docs.oasis-open.org/wsrf/r-2",
           '<r:ResourceUnknownFault xmlns:r="http://docs.oasis-open.org/wsrf/r-2"/>')


class Fault(Exception):
    pass


def note(name, text):
    with open(os.path.join(FOLDER, name), "a") as file:
        file.write(text + "\n")


def utc(after=0.0):
    return (datetime.datetime.now(datetime.timezone.utc) + CLOCK + datetime.timedelta(seconds=after)).strftime("%Y-%m-%dT%H:%M:%SZ")


def event(number, operation="Changed"):
    return f"""<wsnt:NotificationMessage><wsnt:Topic Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet">
        tns1:RuleEngine/CellMotionDetector/v:Motion</wsnt:Topic><wsnt:ProducerReference><wsa:Address>urn:camera</wsa:Address></wsnt:ProducerReference>
        <wsnt:Message><tt:Message UtcTime="{utc()}" PropertyOperation="{operation}"><tt:Source><tt:SimpleItem Name="Rule" Value="Door"/></tt:Source>
        <tt:Data><tt:SimpleItem Name="IsMotion" Value="true"/><tt:SimpleItem Name="Number" Value="{number}"/>
        <tt:ElementItem Name="Box"><v:Box left="{number}"/></tt:ElementItem></tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>"""


class Point:
    def __init__(self, lasting):
        self.queue, self.lasting, self.made = [] if MODE == "quiet" else [event(0, "Initialized")], lasting, time.monotonic()
        self.end = self.made + lasting

    def prolong(self, seconds):
        self.end = max(self.end, time.monotonic() + seconds)


def produce():
    while True:
        time.sleep(0.5)
        if MODE == "quiet":
            continue
        with lock:
            counts["events"] += 1
            gone = [key for key, point in points.items()
                    if time.monotonic() > point.end or MODE == "dying" and time.monotonic() > point.made + SECONDS]
            for key in gone:
                del points[key]
                note("calls", f"{key} ended")
            for point in points.values():
                point.queue.append(event(counts["events"]))
            if points:
                note("queued", f"{counts['events']}")
            lock.notify_all()


def seconds(text):
    """PT20S, or nothing."""
    return float(text[2:-1]) if text and text.startswith("PT") and text.endswith("S") else 60.0


def subscribe(message):
    lasting = seconds(message.findtext(f"{{{EVENTS}}}InitialTerminationTime"))
    if MODE in ("renewing", "dying"):
        lasting = min(lasting, SECONDS)
    with lock:
        counts["points"] += 1
        key = f"/onvif/pull/{counts['points']}"
        points[key] = Point(lasting)
    for expression in message.iter(f"{{{WSNT}}}TopicExpression", ):
        note("calls", f"filter {expression.text} {expression.get('Dialect').rsplit('/', 1)[1]}")
    host = f"127.0.0.1:{SECONDS:.0f}" if MODE == "elsewhere" else "10.255.255.1:8899"
    return f"""<tev:SubscriptionReference><wsa:Address>http://{host}{key}</wsa:Address><wsa:ReferenceParameters>
        <v:Subscription>{key}</v:Subscription></wsa:ReferenceParameters></tev:SubscriptionReference>
        <wsnt:CurrentTime>{utc()}</wsnt:CurrentTime><wsnt:TerminationTime>{utc(lasting)}</wsnt:TerminationTime>"""


def pull(point, message, handler):
    timeout = seconds(message.findtext(f"{{{EVENTS}}}Timeout"))
    limit = int(message.findtext(f"{{{EVENTS}}}MessageLimit"))
    counts["pulls"] += 1
    if MODE == "forbidden":
        raise Fault(*REFUSAL)
    if MODE == "limited" and (timeout > 1 or limit > 3):
        raise Fault("Limits", VENDOR, f"""<tev:PullMessagesFaultResponse xmlns:tev="{EVENTS}"><tev:MaxTimeout>PT1S</tev:MaxTimeout>
            <tev:MaxMessageLimit>3</tev:MaxMessageLimit></tev:PullMessagesFaultResponse>""")
    with lock:
        until = time.monotonic() + (0 if MODE == "empty" else timeout)
        while not point.queue and time.monotonic() < until and handler.path in points:
            lock.wait(max(0.01, until - time.monotonic()))
        if handler.path not in points:
            raise Fault(*UNKNOWN)
        taken, point.queue = point.queue[:limit], point.queue[limit:]
        if MODE != "renewing":
            point.prolong(max(timeout, point.lasting))
        left = point.end - time.monotonic()
    if MODE == "unstable" and counts["pulls"] % 3 == 0:
        handler.close_connection = True
        return None
    taken = {"empty": [], "huge": [event(0)] * 5_000, "fat": [event("7" * (16 << 20))]}.get(MODE, taken)
    return f"<tev:CurrentTime>{utc()}</tev:CurrentTime><tev:TerminationTime>{utc(left)}</tev:TerminationTime>{''.join(taken)}"


def renew(point, message):
    if MODE != "renewing":
        raise Fault("ActionNotSupported", "http://www.onvif.org/ver10/error", "")
    with lock:
        point.end = time.monotonic() + min(SECONDS, seconds(message.findtext(f"{{{WSNT}}}TerminationTime")))
        return f"""<wsnt:TerminationTime>{utc(point.end - time.monotonic())}</wsnt:TerminationTime><wsnt:CurrentTime>{utc()}</wsnt:CurrentTime>"""


def respond(operation, message, header, handler):
    """The content of an answer; None when there is to be none."""
    if operation == "GetSystemDateAndTime":
        now = datetime.datetime.now(datetime.timezone.utc) + CLOCK
        return f"""<tds:SystemDateAndTime><tt:UTCDateTime><tt:Time><tt:Hour>{now.hour}</tt:Hour><tt:Minute>{now.minute}</tt:Minute>
            <tt:Second>{now.second}</tt:Second></tt:Time><tt:Date><tt:Year>{now.year}</tt:Year><tt:Month>{now.month}</tt:Month>
            <tt:Day>{now.day}</tt:Day></tt:Date></tt:UTCDateTime></tds:SystemDateAndTime>"""
    if operation == "GetServices":
        return f"""<tds:Service><tds:Namespace>{EVENTS}</tds:Namespace><tds:XAddr>http://10.255.255.1/onvif/events</tds:XAddr></tds:Service>"""
    if header.find(f"{{{WSA}}}Action") is None:
        raise Fault("MessageAddressingHeaderRequired", WSA, "")
    if operation == "CreatePullPointSubscription":
        return subscribe(message)
    parameter = header.find(f"{{{VENDOR}}}Subscription")
    with lock:
        point = points.get(handler.path)
    if point is None:
        raise Fault(*UNKNOWN)
    if parameter is None or parameter.text != handler.path or parameter.get(f"{{{WSA}}}IsReferenceParameter") != "true":
        raise Fault("InvalidArgVal", "http://www.onvif.org/ver10/error", "")
    if operation == "PullMessages":
        return pull(point, message, handler)
    if operation == "Renew":
        return renew(point, message)
    if operation == "SetSynchronizationPoint":
        with lock:
            point.queue.append(event(0, "Initialized"))
        return ""
    if operation == "Unsubscribe":
        with lock:
            points.pop(handler.path, None)
            lock.notify_all()
        return ""
    raise Fault("ActionNotSupported", "http://www.onvif.org/ver10/error", "")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        envelope = ElementTree.fromstring(self.rfile.read(int(self.headers.get("content-length", 0))))
        header, body = envelope.find(f"{SOAP}Header"), envelope.find(f"{SOAP}Body")
        header = ElementTree.Element("none") if header is None else header
        message = body[0]
        namespace, operation = message.tag[1:].split("}")
        token = "token" if any(element.tag.endswith("}UsernameToken") for element in header.iter()) else "nothing"
        # Before the answer: a client may end a test as soon as it has it.
        note("calls", f"{self.path} {operation} {token}")
        try:
            content, status = respond(operation, message, header, self), 200
            text = f'<m:{operation}Response xmlns:m="{namespace}">{content}</m:{operation}Response>'
        except Fault as fault:
            subcode, uri, detail = fault.args
            note("calls", f"{self.path} {operation} {subcode}")
            content, status = "", 400
            text = f"""<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value xmlns:f="{uri}">f:{subcode}</s:Value></s:Subcode></s:Code>
                <s:Reason><s:Text xml:lang="en">No.</s:Text></s:Reason><s:Detail>{detail}</s:Detail></s:Fault>"""
        if content is None:
            return
        answer = f"""<s:Envelope xmlns:s="{SOAP[1:-1]}" xmlns:tt="http://www.onvif.org/ver10/schema" xmlns:tev="{EVENTS}" xmlns:wsnt="{WSNT}"
            xmlns:wsa="{WSA}" xmlns:v="{VENDOR}" xmlns:tns1="http://www.onvif.org/ver10/topics"
            xmlns:tds="http://www.onvif.org/ver10/device/wsdl"><s:Body>{text}</s:Body></s:Envelope>""".encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/soap+xml; charset=utf-8")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        pass


threading.Thread(target=produce, daemon=True).start()
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
