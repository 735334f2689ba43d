import Signet

// The code of the article DiagnosingConnections.

private func report(_ error: any Error, to logger: Logger) {
    logger.error("\(error)", metadata: ["diagnosis": "\(error.diagnosis?.summary ?? "none")"])
}
