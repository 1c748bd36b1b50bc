# One image for all services: the command selects the service. To build it for amd64 and arm64, and to run a service:
#   docker buildx build --platform linux/amd64,linux/arm64 -t domain-data-service .
#   docker run … domain-data-service dist/apps/account/src/main.js
# The npm packages for production; this stage changes only with the lock file.
FROM node:24.21.0-trixie-slim AS packages
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN ["npm", "ci", "--omit=dev", "--omit=optional"]
# The source maps of packages are deleted, because Node would load them (10 MB in each process); only ours are useful.
# sbom.cdx.json lists every npm package with its version, licence and checksum (CycloneDX).
RUN ["find", "node_modules", "-name", "*.map", "-delete"]
RUN npm pkg delete devDependencies optionalDependencies && npm sbom --sbom-format cyclonedx > sbom.cdx.json

FROM node:24.21.0-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN ["npm", "ci"]
COPY build.js ./
COPY apps apps
COPY libs libs
# Compiles the product without specs, test code and trial apps.
RUN ["node", "build.js", "--product"]

# Adds Node and the Debian packages to sbom.cdx.json.
FROM debian:13.2-slim AS bill
WORKDIR /build
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
COPY --from=packages /build/sbom.cdx.json ./
COPY image-sbom.js ./
RUN ["node", "image-sbom.js", "sbom.cdx.json"]

# The final image contains only a C library, Node and the product, without npm or a compiler.
FROM debian:13.2-slim
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=packages /build/node_modules node_modules
COPY --from=bill /build/sbom.cdx.json ./
# The only writable folder, for a gateway's journal. A new volume that is mounted here gets this owner.
RUN ["install", "-d", "-o", "10001", "-g", "10001", "-m", "700", "/var/lib/domain-data"]
COPY --from=build /build/dist dist
COPY package.json ./
COPY docs/errors docs/errors
COPY docs/texts docs/texts
ENV NODE_ENV=production \
    GATEWAY_JOURNAL=/var/lib/domain-data/gateway.journal \
    READY_URL=http://127.0.0.1:7100/ready
USER 10001:10001
LABEL org.opencontainers.image.title="Domain Data Service" \
    org.opencontainers.image.description="Domain registration data API with accounts, API keys and credits" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="0.1.0"
# Every service answers /ready on its internal listener, at READY_URL. Images in OCI's format have no HEALTHCHECK, and
# Kubernetes ignores it: the compose file has its own check, and the chart has probes.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(process.env.READY_URL).then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--enable-source-maps"]
CMD ["dist/apps/gateway/src/main.js"]
