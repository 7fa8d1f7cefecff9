# argand in a container: the program, the Python package, the notebooks with Jupyter, and the book as pages.
#   docker build -t argand .
#   docker run --rm -it -v "$PWD:/work" argand train lm --data notes.txt --out runs/notes
#   docker run --rm -it -v "$PWD:/work" --entrypoint python3 argand -c 'import argand; print(argand.__version__)'
#   docker run --rm -it -p 8888:8888 --entrypoint jupyter argand notebook --allow-root --ip 0.0.0.0 --notebook-dir /usr/share/doc/argand/notebooks
#   docker run --rm -p 8000:8000 --entrypoint python3 argand -m http.server 8000 -d /usr/share/doc/argand/site
FROM debian:13-slim AS build
COPY . /src
WORKDIR /src
RUN ./dev install-deps && ./dev package && ./dev site && ./dev notebooks && \
    mkdir /made && mv build-package/argand_*.deb build/site build/notebooks /made

FROM debian:13-slim
# Without bytecode, which Python makes when it needs it, and MathJax's sources, which no page reads: 90 MB less.
RUN --mount=from=build,source=/made,target=/made \
    echo 'path-exclude /usr/share/javascript/mathjax/unpacked/*' >/etc/dpkg/dpkg.cfg.d/argand && \
    apt-get update && apt-get install -y --no-install-recommends /made/argand_*.deb python3-numpy jupyter-notebook && \
    find /usr -name __pycache__ -prune -exec rm -r {} + && rm -rf /var/lib/apt/lists/* && \
    cp -r /made/site /made/notebooks /usr/share/doc/argand
WORKDIR /work
ENTRYPOINT ["argand"]
