import Signet

// The code of the article Limits.

private func limit(_ service: inout ServiceConfiguration) {
    service.deadlines.total = .seconds(300)
    service.maximumResponseBytes = 4 << 20  // of an answer, without attachments
    service.xmlLimits.depth = 64  // open elements
    service.attachments.limits.totalBytes = 1 << 30  // of an answer with attachments
}
