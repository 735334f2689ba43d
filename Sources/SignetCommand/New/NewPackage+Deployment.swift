#if CommandLine
/// What a machine needs to run the server.
extension NewPackage {
    var configuration: String {
        """
        # The configuration of \(name). `\(name) --list-keys` prints all keys. A variable such as SIGNET_SERVER_PORT in the environment
        # takes precedence over the key server.port.
        server:
          host: "::"
          port: 8443

        tls:
          # The certificate with its chain and its key, in PEM or PKCS#12. The systemd unit names its own copy.
          identity: /etc/\(name)/identity.pem

        clients:
          # Whether clients have to show a certificate: no, allowed or required.
          certificates: required
          # The certificates of the authorities whose clients are trusted, in PEM.
          authorities: /etc/\(name)/clients.pem

        health:
          live: /health/live
          ready: /health/ready

        log:
          level: info

        """
    }

    var unit: String {
        """
        [Unit]
        Description=The SOAP service \(name)
        After=network-online.target
        Wants=network-online.target

        [Service]
        Type=notify
        ExecStart=/usr/local/bin/\(name) --config /etc/\(name)/server.yaml
        ExecReload=/bin/kill -HUP $MAINPID
        Restart=on-failure
        RestartSec=5
        TimeoutStopSec=30

        # Only the server gets the key: systemd reads the file as root when the service starts.
        LoadCredential=identity.pem:/etc/\(name)/identity.pem
        Environment=SIGNET_TLS_IDENTITY=%d/identity.pem

        DynamicUser=yes
        RuntimeDirectory=\(name)
        RuntimeDirectoryMode=0750
        StateDirectory=\(name)
        StateDirectoryMode=0700
        UMask=0077

        CapabilityBoundingSet=
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        NoNewPrivileges=yes
        PrivateDevices=yes
        PrivateTmp=yes
        PrivateUsers=yes
        ProcSubset=pid
        ProtectClock=yes
        ProtectControlGroups=yes
        ProtectHome=yes
        ProtectHostname=yes
        ProtectKernelLogs=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        ProtectProc=invisible
        ProtectSystem=strict
        RemoveIPC=yes
        RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged @resources
        SystemCallErrorNumber=EPERM

        [Install]
        WantedBy=multi-user.target

        """
    }

    /// For a server whose clients end their TLS at a proxy on the same machine.
    var dropIn: String {
        """
        # For /etc/systemd/system/\(name).service.d: a proxy on this machine ends TLS, and opens the socket /run/\(name)/socket. Here the server
        # has no key. It has a user that stays, whose group the proxy's user joins:
        #   useradd --system --user-group --no-create-home --shell /usr/sbin/nologin \(name)
        #   usermod --append --groups \(name) www-data
        [Service]
        LoadCredential=
        UnsetEnvironment=SIGNET_TLS_IDENTITY
        DynamicUser=no
        User=\(name)
        Group=\(name)

        """
    }

    var containerfile: String {
        """
        # What is outside of this folder is not in the image: Package.swift must name Signet by an address.
        FROM docker.io/library/swift:6.2-bookworm AS build
        WORKDIR /build
        COPY . .
        RUN swift build --configuration release --product \(name) --static-swift-stdlib

        FROM docker.io/library/debian:bookworm-slim
        RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin \(name)
        COPY --from=build /build/.build/release/\(name) /usr/local/bin/\(name)
        USER 10001
        EXPOSE 8443
        # Mount /etc/\(name) with server.yaml, identity.pem and clients.pem, which the user 10001 can read.
        ENTRYPOINT ["/usr/local/bin/\(name)", "--config", "/etc/\(name)/server.yaml"]

        """
    }

    var nginx: String {
        """
        # nginx before several servers of \(name). It passes connections on as they are: the TLS of clients ends at the servers, which see their
        # certificates. Each server has in its server.yaml the address of this machine in server.proxies, and server.proxyProtocol: true.
        # This file belongs at the top level of nginx.conf, beside http { … }; on Debian it needs the package libnginx-mod-stream.
        stream {
            upstream \(name) {
                least_conn;
                server 192.0.2.11:8443 max_fails=2 fail_timeout=10s;
                server 192.0.2.12:8443 max_fails=2 fail_timeout=10s;
            }
            server {
                listen 443;
                listen [::]:443;
                proxy_pass \(name);
                proxy_protocol on;
                proxy_connect_timeout 5s;
                proxy_timeout 75s;
            }
        }

        """
    }

    var haproxy: String {
        """
        # HAProxy before several servers of \(name). It passes connections on as they are: the TLS of clients ends at the servers, which see
        # their certificates. Each server has in its server.yaml the address of this machine in server.proxies, and server.proxyProtocol:
        # true.
        global
            user haproxy
            group haproxy
            chroot /var/lib/haproxy
            log /dev/log local0
            maxconn 4000

        defaults
            mode tcp
            log global
            option tcplog
            # A server that has just gone is tried twice, then another one.
            retries 2
            option redispatch
            timeout connect 5s
            timeout client 75s
            timeout server 75s

        frontend \(name)-clients
            bind :::443 v4v6
            default_backend \(name)-servers

        backend \(name)-servers
            balance leastconn
            server one 192.0.2.11:8443 send-proxy-v2 check
            server two 192.0.2.12:8443 send-proxy-v2 check

        """
    }
}
#endif
