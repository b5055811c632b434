#!/usr/bin/env bash
# What .github/workflows/release.yml runs for a tag. It needs a checkout in which `npm ci` has run, and GITHUB_REPOSITORY (owner/name):
# the files of the project do not say where it is, and a release fills that in.
#
#   check TAG              the tag, the versions and the changelog are of one release
#   pack FOLDER            makes the npm package
#   sbom FOLDER            lists the packages that it depends on, as CycloneDX
#   chart FOLDER           makes the Helm chart
#   image FOLDER [TARGET]  builds the image for two architectures, pushes it, and writes its digest and its SBOM
#   names FOLDER           prints the names of what is in the folder, as outputs of a step
#   checksums FOLDER       writes SHA256SUMS
#   publish FOLDER ...     publishes the npm package; further arguments go to npm
#   notes FOLDER           prints the notes of the release
set -euo pipefail
cd "$(dirname "$0")/.."

: "${GITHUB_REPOSITORY:?must be set to owner/name}"
REPOSITORY_URL=https://github.com/$GITHUB_REPOSITORY
# Names of images have no capitals.
IMAGE=ghcr.io/${GITHUB_REPOSITORY,,}
NAME=$(node -p 'require("./package.json").name')
VERSION=$(node -p 'require("./package.json").version')
PACKAGE=$NAME-$VERSION.tgz
# Pages of this version, not of a later one.
PAGES=$REPOSITORY_URL/blob/v$VERSION

TEMPORARY=$(mktemp -d)
trap 'rm -rf "$TEMPORARY"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

check() {
  local tag=$1 file entry
  [[ $tag == "v$VERSION" ]] || fail "The tag is $tag, but package.json has the version $VERSION."
  for file in package-lock.json deploy/Containerfile deploy/kubernetes/deployment.yaml deploy/chart/Chart.yaml; do
    grep -qE "(version|image)\"?[:=] ?\"?([a-z-]+:)?${VERSION//./\\.}\"?" "$file" || fail "$file does not have the version $VERSION."
  done
  entry=$(grep -m1 '^## ' CHANGELOG.md || true)
  [[ $entry =~ ^'## ['"$VERSION"'] - '[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
    fail "The first entry of CHANGELOG.md is \"$entry\", but should be \"## [$VERSION] - \" and a date."
}

pack() {
  local folder=$1 staged=$TEMPORARY/$NAME
  mkdir -p "$folder" "$staged"
  npm pack --silent --pack-destination "$TEMPORARY" >&2
  tar -xzf "$TEMPORARY/$PACKAGE" --strip-components=1 -C "$staged"
  (
    cd "$staged"
    npm pkg set repository.type=git "repository.url=git+$REPOSITORY_URL.git" "bugs.url=$REPOSITORY_URL/issues" \
      "homepage=$REPOSITORY_URL#readme"
    sed -i -E "s|^( *)runbook: (docs/.*)$|\1runbook_url: $PAGES/\2|" deploy/observability/rules.yaml
  )
  node -r ./src/node-version.cjs deploy/observability/dashboard.ts "$staged/deploy/observability/dashboard.json" \
    "$PAGES/docs/operations.md"
  nameImage "$staged/deploy/chart/values.yaml"
  # It is built already.
  (cd "$staged" && npm pack --silent --ignore-scripts --pack-destination "$TEMPORARY" >&2)
  mv "$TEMPORARY/$PACKAGE" "$folder/"
}

# Writes the name of the image into the values of the chart.
nameImage() {
  sed -i -E "s|^( +repository: )$NAME$|\1$IMAGE|" "$1"
}

sbom() {
  local folder=$1 staged=$TEMPORARY/$NAME
  mkdir -p "$staged"
  tar -xzf "$folder/$PACKAGE" --strip-components=1 -C "$staged"
  cp package-lock.json "$staged/"
  listPackages "$staged" --package-lock-only >"$folder/$NAME-$VERSION.cdx.json"
}

# Prints the production packages of a folder, which it changes. `npm sbom --omit dev` would leave out those that are development
# packages too, as graphql is.
listPackages() {
  local folder=$1
  (
    cd "$folder"
    npm pkg delete workspaces devDependencies
    if [[ -f package-lock.json ]]; then
      npm install --silent --package-lock-only --ignore-scripts --prefer-offline --no-audit --no-fund >&2
    fi
    npm sbom --sbom-format cyclonedx --sbom-type application "${@:2}"
  )
}

chart() {
  local folder=$1 staged=$TEMPORARY/chart
  mkdir -p "$folder"
  cp -r deploy/chart "$staged"
  nameImage "$staged/values.yaml"
  helm package --destination "$TEMPORARY" "$staged" >&2
  # Helm would name it as the npm package is named.
  mv "$TEMPORARY/$PACKAGE" "$folder/$NAME-chart-$VERSION.tgz"
}

image() {
  local folder=$1 target=${2:-docker://$IMAGE:$VERSION} list=localhost/$NAME:$VERSION buildah options container root
  # The program and further options of its builds, each with a space between words.
  read -ra buildah <<<"${BUILDAH:-buildah}"
  read -ra options <<<"${BUILD_OPTIONS:-}"
  mkdir -p "$folder"
  # Images in the OCI format have no health check.
  "${buildah[@]}" build --isolation chroot --layers --format docker --platform linux/amd64,linux/arm64 --manifest "$list" \
    --build-arg "SOURCE=$REPOSITORY_URL" --build-arg "REVISION=${GITHUB_SHA:-$(git rev-parse HEAD)}" --build-arg "CREATED=$(date -u +%FT%TZ)" \
    -f deploy/Containerfile "${options[@]}" . >&2
  container=$("${buildah[@]}" from --pull=never "$list")
  root=$("${buildah[@]}" mount "$container")
  # Links to the workspaces, which are not in the image.
  rm -rf "$root/app/node_modules/@$NAME"
  listPackages "$root/app" >"$folder/$NAME-image-$VERSION.cdx.json"
  "${buildah[@]}" rm "$container" >&2
  "${buildah[@]}" manifest push --all --format v2s2 --digestfile "$folder/image-digest" "$list" "$target" >&2
}

names() {
  local folder=$1
  echo "image=$IMAGE"
  echo "version=$VERSION"
  echo "package=$folder/$PACKAGE"
  echo "sbom=$folder/$NAME-$VERSION.cdx.json"
  echo "image-sbom=$folder/$NAME-image-$VERSION.cdx.json"
  if [[ -f $folder/image-digest ]]; then echo "digest=$(<"$folder/image-digest")"; fi
}

checksums() {
  (cd "$1" && rm -f SHA256SUMS && sha256sum -- *.tgz *.json >"$TEMPORARY/sums" && mv "$TEMPORARY/sums" SHA256SUMS)
}

publish() {
  npm publish "$(realpath "$1/$PACKAGE")" --provenance --access public "${@:2}"
}

notes() {
  local digest
  digest=$(<"$1/image-digest")
  # The entry of this version, without its heading. Its links lead to the files of this version.
  awk -v version="$VERSION" '/^## / { is = index($0, "## [" version "]") == 1; next } is' CHANGELOG.md |
    sed -E "s|\]\(([^):#]+[^):]*)\)|]($PAGES/\1)|g"
  cat <<END

## Check what you install

\`\`\`sh
sha256sum --check --ignore-missing SHA256SUMS
gh attestation verify $PACKAGE --repo $GITHUB_REPOSITORY
cosign verify $IMAGE@$digest \\
  --certificate-identity $REPOSITORY_URL/.github/workflows/release.yml@refs/tags/v$VERSION \\
  --certificate-oidc-issuer https://token.actions.githubusercontent.com
gh attestation verify oci://$IMAGE@$digest --repo $GITHUB_REPOSITORY
\`\`\`
END
}

case ${1:-} in
  check | pack | sbom | chart | image | names | checksums | publish | notes) "$@" ;;
  *) fail "Usage: $0 check|pack|sbom|chart|image|names|checksums|publish|notes ..." ;;
esac
