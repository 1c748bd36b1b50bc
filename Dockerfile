# One image for every service: the command names which one runs.
#   docker build -t domain-data-service .
#   docker run … domain-data-service dist/apps/account/src/main.js
FROM node:24.21.0-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN ["npm", "ci", "--ignore-scripts"]
COPY build.js ./
COPY apps apps
COPY libs libs
RUN ["npm", "run", "build"]
# What is for trying out has no place here, but for its settings, which the commands know.
RUN find dist/apps/solo dist/apps/cluster dist/apps/simulators -type f ! -name '*.config.js*' -delete

FROM node:24.21.0-trixie-slim AS packages
WORKDIR /build
COPY package.json package-lock.json ./
RUN ["npm", "ci", "--omit=dev", "--omit=optional", "--ignore-scripts"]

FROM node:24.21.0-trixie-slim
WORKDIR /app
COPY --from=packages /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json ./
COPY docs/errors docs/errors
# The one place that is written to: a gateway's journal. A volume mounted here begins with this owner.
RUN install -d -o 10001 -g 10001 -m 700 /var/lib/domain-data
ENV NODE_ENV=production \
    GATEWAY_JOURNAL=/var/lib/domain-data/gateway.journal \
    READY_URL=http://127.0.0.1:7100/ready
USER 10001:10001
# Every service answers /ready on its internal listener; READY_URL says where that is.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(process.env.READY_URL).then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--enable-source-maps"]
CMD ["dist/apps/gateway/src/main.js"]
