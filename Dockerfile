# syntax=docker/dockerfile:1
FROM node:22-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json ./
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm pack --ignore-scripts --pack-destination /tmp && mv /tmp/thoughtbox-*.tgz /tmp/thoughtbox.tgz

FROM node:22-bookworm-slim
COPY --from=build /tmp/thoughtbox.tgz /tmp/thoughtbox.tgz
# `pg` is an optional peer: only servers on PostgreSQL need it.
RUN npm install --global --no-audit --no-fund /tmp/thoughtbox.tgz pg@8 \
  && rm -r /tmp/thoughtbox.tgz /root/.npm \
  && install --directory --owner=node --group=node --mode=0700 /data
USER node
ENV HOST=0.0.0.0 PORT=1731 THOUGHTBOX_DATA_DIR=/data THOUGHTBOX_AUTH=token THOUGHTBOX_LOG=json
VOLUME /data
EXPOSE 1731
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["thoughtbox"]
CMD ["serve"]
