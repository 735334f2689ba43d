import ReferenceServices
import Signet

// The code of the article Connections that is not in PublicFace.swift.

private func limit(_ service: inout ServiceConfiguration) {
    service.deadlines.connect = .seconds(5)  // for a new connection: name resolution, TCP and TLS
    service.deadlines.total = .seconds(120)  // for the whole call
    service.maximumConnections = 16
    service.redirects = .sameOrigin(maximum: 3)
}

/// Stands for SwiftUI's type of this name.
private enum ScenePhase { case background, inactive, active }

/// Stands for a view of SwiftUI.
private struct Screen {
    func onChange<Value>(of value: Value, _ action: (Value, Value) -> Void) -> Screen {
        action(value, value)
        return self
    }
}

private func show(_ scenePhase: ScenePhase, with client: WebEase.Client) -> Screen {
    Screen()
        .onChange(of: scenePhase) { _, phase in
            switch phase {
            case .background: client.suspendConnections()  // idle connections close, and none opens ahead of need
            case .active: client.resumeConnections()  // none from before is used; the warm ones are opened anew
            default: break
            }
        }
}
