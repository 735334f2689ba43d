/// A module that the generated files import because their configuration says so.
public enum Shared {
    public static let currency = "EUR"
}
