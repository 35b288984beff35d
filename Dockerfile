# Not published yet: build it from a clone with `docker build -t quartermaster .`
FROM node:20-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund && node scripts/prepare.mjs && npm prune --omit=dev --no-audit --no-fund

FROM node:20-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build --chown=node:node /app/package.json ./
COPY --from=build --chown=node:node /app/node_modules ./node_modules
COPY --from=build --chown=node:node /app/packages ./packages
COPY --from=build --chown=node:node /app/examples/catalog ./examples/catalog
USER node
EXPOSE 8787
# Beyond loopback the gateway only serves requests with a key: quartermaster keys create NAME
ENTRYPOINT ["node", "packages/cli/bin/quartermaster.js"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8787"]
