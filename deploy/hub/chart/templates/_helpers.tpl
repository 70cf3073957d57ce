{{- define "hub.name" -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}-entire-hub{{- end }}
{{- define "hub.labels" -}}
app.kubernetes.io/name: entire-hub
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "hub.config" -}}
{{- $set := dict "listen" "0.0.0.0:8080" "metrics_listen" "0.0.0.0:9090" "data" "/var/lib/entire-hub" -}}
{{- mergeOverwrite (deepCopy .Values.config) $set | toPrettyJson -}}
{{- end }}
