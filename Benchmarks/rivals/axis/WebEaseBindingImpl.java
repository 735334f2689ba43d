package webease.example.signet;

import java.math.BigDecimal;
import java.rmi.RemoteException;
import java.util.Calendar;
import java.util.Date;
import java.util.TimeZone;
import javax.xml.rpc.holders.BooleanHolder;
import javax.xml.rpc.holders.ByteArrayHolder;
import javax.xml.rpc.holders.StringHolder;
import types.webease.example.signet.DateComparison;
import types.webease.example.signet.EntryKind;
import types.webease.example.signet.LogEntry;
import types.webease.example.signet.NewLogEntry;
import types.webease.example.signet.holders.LogEntryArrayHolder;

/** The hosting benchmark's service in Axis 1.4, in the place of the skeleton that WSDL2Java makes. */
public class WebEaseBindingImpl implements WebEasePortType {
    public void logEntryQuery(
        String patientId, DateComparison entryDate, EntryKind[] kind, Integer limit, LogEntryArrayHolder entry, BooleanHolder truncated
    ) throws RemoteException {
        entry.value = new LogEntry[limit == null ? 2 : limit];
        for (int index = 0; index < entry.value.length; index++) entry.value[index] = entry(index, patientId);
        truncated.value = false;
    }

    private static LogEntry entry(int index, String patient) {
        LogEntry entry = new LogEntry();
        entry.setId(4000000000L + index);
        entry.setPatientId(patient);
        entry.setEntryDate(new Date((1767225600L + index % 28 * 86400L) * 1000));
        Calendar recorded = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
        recorded.setTimeInMillis((1767225600L + index * 61L) * 1000);
        entry.setRecordedAt(recorded);
        entry.setSystolic(110);
        entry.setDiastolic(60);
        entry.setWeight(new BigDecimal("60.1"));
        entry.setPulse(55);
        entry.setFlagged(index == 0);
        entry.setNote("Nach dem Fr\u00fchst\u00fcck & vor dem Spaziergang gemessen");
        entry.setKind(EntryKind.Device);
        entry.setTag(new String[] {"morning", "rest"});
        entry.setRevision(1);
        entry.setSource("signet-bp-meter/2.1");
        return entry;
    }

    public LogEntry logEntryCreate(NewLogEntry entry) throws RemoteException { throw new RemoteException("not measured"); }
    public LogEntry logEntryUpdate(LogEntry entry) throws RemoteException { throw new RemoteException("not measured"); }
    public boolean logEntryDelete(long id) throws RemoteException { throw new RemoteException("not measured"); }

    public void register(String serialNumber, String model, StringHolder label, ByteArrayHolder identity, StringHolder password)
        throws RemoteException {
        throw new RemoteException("not measured");
    }
}
