#!/bin/sh
# After npm ci, on whatever Node the machine has.
cd node_modules || exit

# What packages bring and nothing uses: the headers of Node and the source maps of Swagger UI.
rm -rf node-*/include swagger-ui-dist/*.map

# npm 10 removes this link together with the packages of other platforms, which have one of the same name.
for node in node-*/bin/node; do
  [ ! -e "$node" ] || ln -sf "../$node" .bin/node
done
