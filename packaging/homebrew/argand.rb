# A formula for Homebrew, not yet tested (docs/guides/requirements.md): brew install --HEAD --build-from-source ./packaging/homebrew/argand.rb
class Argand < Formula
  desc "Complex-valued backpropagation: train, check and look into small models"
  homepage "https://example.org/argand" # for a release, fill in the project's address
  license "MIT"
  head "https://example.org/argand.git", branch: "main"

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "node" => :build # npm downloads Chart.js
  depends_on "pkgconf" => :build
  depends_on "pybind11" => :build
  depends_on "tomlplusplus" => :build
  depends_on "fmt"
  depends_on "libzip"
  depends_on "numpy"
  depends_on "openblas"
  depends_on "sentencepiece"
  depends_on "xxhash"
  on_macos do
    depends_on "libomp"
  end

  resource "kissfft" do # headers that no formula provides
    url "https://github.com/mborgerding/kissfft.git", tag: "131.1.0"
  end

  def install
    (buildpath/"build-needs").mkpath
    system "npm", "pack", "chart.js@3.9.1"
    system "tar", "xzf", "chart.js-3.9.1.tgz"
    cp "package/dist/chart.min.js", "build-needs/"
    (buildpath/"include/kissfft").mkpath
    resource("kissfft").stage { cp "kissfft.hh", buildpath/"include/kissfft/" }
    ENV.append "CXXFLAGS", "-I#{buildpath}/include"
    ENV.append "CXXFLAGS", "-I#{Formula["libomp"].opt_include}" if OS.mac?
    system "meson", "setup", "build", "-Dlevel=baseline", *std_meson_args
    system "ninja", "-C", "build", "package_content"
    system "meson", "install", "-C", "build", "--no-rebuild"
  end

  test do
    assert_match "argand", shell_output("#{bin}/argand --version")
    system bin/"argand", "gradcheck", "exp", "abs2", "angle"
  end
end
