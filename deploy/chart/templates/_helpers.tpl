{{- define "dataset-subgraph.name" -}}
{{- if contains "dataset-subgraph" .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-dataset-subgraph" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "dataset-subgraph.podLabels" -}}
app.kubernetes.io/name: dataset-subgraph
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "dataset-subgraph.labels" -}}
{{ include "dataset-subgraph.podLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Empty for the service account of the namespace. */}}
{{- define "dataset-subgraph.serviceAccountName" -}}
{{- with .Values.serviceAccount -}}
{{- if .create -}}
{{- .name | default (include "dataset-subgraph.name" $) -}}
{{- else -}}
{{- .name -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A value of a variable. toJson does not write a large number with an exponent, as quote does. */}}
{{- define "dataset-subgraph.text" -}}
{{- kindIs "string" . | ternary . (toJson .) | quote -}}
{{- end -}}

{{/* A value of a setting. YAML 1.1, which Helm reads, takes on and off for booleans. */}}
{{- define "dataset-subgraph.setting" -}}
{{- if and (kindIs "bool" .value) (ne .name "OTEL_SDK_DISABLED") -}}
{{- .value | ternary "on" "off" | quote -}}
{{- else -}}
{{- include "dataset-subgraph.text" .value -}}
{{- end -}}
{{- end -}}

{{/* Fails if a variable is given twice, or if the address of the REST service is missing. */}}
{{- define "dataset-subgraph.checkVariables" -}}
{{- $given := dict "HOST" "the image" "PORT" "the image" "METRICS_HOST" "the chart" "METRICS_PORT" "metrics.port" -}}
{{- range $name, $value := .Values.settings -}}
{{- $_ := set $given $name "settings" -}}
{{- end -}}
{{- range $name, $reference := .Values.secretSettings -}}
{{- if $reference -}}
{{- if hasKey $given $name -}}
{{- fail (printf "Remove %s from secretSettings or from %s: only one can set it." $name (get $given $name)) -}}
{{- end -}}
{{- $_ := set $given $name "secretSettings" -}}
{{- end -}}
{{- end -}}
{{- range .Values.extraEnv -}}
{{- if hasKey $given .name -}}
{{- fail (printf "Remove %s from extraEnv: %s sets it." .name (get $given .name)) -}}
{{- end -}}
{{- $_ := set $given .name "extraEnv" -}}
{{- end -}}
{{- if not (or (hasKey $given "DATASET_SERVICE_URL") .Values.extraEnvFrom) -}}
{{- fail "Set settings.DATASET_SERVICE_URL to the address of the REST service." -}}
{{- end -}}
{{- end -}}
