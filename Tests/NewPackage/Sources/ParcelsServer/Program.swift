import Signet
import SignetServer
import SignetServerConfiguration

@main struct Program {
    static func main() async {
        await ServerProgram(name: "parcels") { configuration in
            let service = HostedService(
                Parcels.dispatcher(Parcels.Handlers()), path: "/soap", wsdl: configuration.wsdl)
            return [service]
        }.main()
    }
}
