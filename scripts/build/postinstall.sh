#!/bin/sh
# After npm ci, on whatever Node the machine has.
cd node_modules || exit

# What packages bring and nothing uses: the headers of Node, the source maps of Swagger UI, the
# bundles of SheetJS.
rm -rf node-*/include swagger-ui-dist/*.map @e965/xlsx/dist

# npm 10 removes this link together with the packages of other platforms, which have one of the same name.
for node in node-*/bin/node; do
  [ ! -e "$node" ] || ln -sf "../$node" .bin/node
done
