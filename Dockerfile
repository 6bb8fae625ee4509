# One image for every profile and role, which are chosen by environment variables: docker build -t stratalog . &&
# docker run -p 8080:8080 -v stratalog:/data -e STRATALOG_MASTER_KEY=… stratalog
FROM node:22.23.1-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY bin bin
COPY src src
COPY console console
COPY packages/client/src packages/client/src
RUN npm run build && npm prune --omit=dev

FROM node:22.23.1-bookworm-slim
ENV NODE_ENV=production STRATALOG_HOST=0.0.0.0 STRATALOG_PORT=8080 STRATALOG_DATA=/data
RUN install --directory --owner=node --group=node /data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY bin/stratalog.mjs bin/
COPY models models
COPY vendor vendor
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# Checks /livez rather than /readyz: a back end that is down for a while is no reason to restart this process.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.STRATALOG_PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/stratalog.mjs"]
CMD ["serve"]
