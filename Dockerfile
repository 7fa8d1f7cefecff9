# argand in a container, from its Debian package:
#   docker build -t argand .
#   docker run --rm -it -v "$PWD:/work" argand train lm --data notes.txt --out runs/notes
FROM debian:12-slim AS build
COPY . /src
RUN cd /src && ./dev install-deps && ./dev package && mkdir /package && mv build-package/argand_*.deb /package

FROM debian:12-slim
RUN --mount=from=build,source=/package,target=/package \
    apt-get update && apt-get install -y --no-install-recommends /package/argand_*.deb && rm -rf /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["argand"]
