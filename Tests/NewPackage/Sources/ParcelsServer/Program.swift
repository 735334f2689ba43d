import Signet
import SignetServer
import SignetServerConfiguration

@main struct ParcelsServerProgram {
    static func main() async {
        await ServerProgram(name: "parcels-server") { configuration in
            let service = HostedService(
                Parcels.dispatcher(Parcels.Handlers()), path: "/soap", wsdl: configuration.wsdl)
            return [service]
        }.main()
    }
}
