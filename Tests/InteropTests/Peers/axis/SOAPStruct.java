public final class SOAPStruct implements java.io.Serializable {
    private String varString;
    private int varInt;
    private float varFloat;

    public SOAPStruct() {}

    SOAPStruct(String text, int number, float fraction) {
        varString = text;
        varInt = number;
        varFloat = fraction;
    }

    public String getVarString() { return varString; }
    public void setVarString(String value) { varString = value; }
    public int getVarInt() { return varInt; }
    public void setVarInt(int value) { varInt = value; }
    public float getVarFloat() { return varFloat; }
    public void setVarFloat(float value) { varFloat = value; }

    @Override public int hashCode() { return varInt; }

    @Override public boolean equals(Object other) {
        if (!(other instanceof SOAPStruct)) return false;
        SOAPStruct that = (SOAPStruct) other;
        return varString.equals(that.varString) && varInt == that.varInt && varFloat == that.varFloat;
    }
}
