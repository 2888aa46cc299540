FROM python:3.11-slim
WORKDIR /app
COPY requirements.lock .
# A CPU build of torch is enough: point pip at one through a build argument where the default would bring CUDA.
ARG TORCH="torch==2.13.0"
RUN pip install --no-cache-dir ${TORCH} \
 && pip install --no-cache-dir --no-deps -r requirements.lock
COPY . .
RUN useradd --create-home countersign && mkdir -p /state && chown countersign /state
USER countersign
ENV COUNTERSIGN_STATE_DIR=/state PYTHONUNBUFFERED=1
CMD ["python", "worker.py"]
