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
