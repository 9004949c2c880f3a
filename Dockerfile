# One image for every process: which one it becomes is decided by APP when it is built, or by the
# command when it is run (`docker run backstep dist/apps/resource/src/main.js`).
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json .npmrc ./
# No install script of any dependency is needed, so none is run.
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY scripts ./scripts
COPY schemas ./schemas
COPY libs ./libs
COPY apps ./apps
COPY workshop ./workshop
COPY docs ./docs
RUN node scripts/build.mjs && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

# In a container a process listens beyond loopback, so it starts only where BACKSTEP_AUTH is written:
# `docker run -p 127.0.0.1:7070:7070 -e BACKSTEP_AUTH=off backstep`. Without the address before the
# port, Docker opens it to everybody.
FROM node:24-slim
ARG APP=standalone
ENV NODE_ENV=production \
    APP=${APP} \
    BACKSTEP_HTTP=0.0.0.0:7070 \
    BACKSTEP_STORE=sqlite:/var/lib/backstep/backstep.db \
    BACKSTEP_DATA=/var/lib/backstep
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY bin ./bin
COPY scripts ./scripts
COPY flow-configs ./flow-configs
COPY schemas ./schemas
# The only place that is written to.
RUN mkdir -p /var/lib/backstep && chown 1000:1000 /var/lib/backstep
# `node` by its number: Kubernetes with `runAsNonRoot` takes no names.
USER 1000:1000
VOLUME /var/lib/backstep
EXPOSE 7070
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "bin/health.mjs"]
# `exec`: the process itself gets the signal that asks it to drain.
ENTRYPOINT ["/bin/sh", "-c", "exec node --enable-source-maps --max-semi-space-size=64 \"${1:-dist/apps/$APP/src/main.js}\"", "backstep"]
