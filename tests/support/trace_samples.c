#include "tests/support/trace_samples.h"

#include <stddef.h>

#define AT(clock) "2020-06-09 18:" clock

const trace_sample trace_samples[N_TRACE_SAMPLES] = {
    {"philly-csv",
     "timestamp,duration(s),num_gpus,gpu_time,cluster\n" AT("00:01") ",66.0,1,66.0,a\n" AT(
         "02:01") ",660.0,12,66.0,b\n",
     NULL},
    {"philly-json",
     "[{\"jobid\": \"a\", \"vc\": \"x\", \"submitted_time\": \"" AT("00:01") "\", \"attempts\": [{\"start_time\": "
                                                                             "\"" AT("00:02") "\", \"end_time\": \"" AT(
                                                                                 "10:02") "\", \"detail\": [{\"ip\": "
                                                                                          "\"m\", \"gpus\": [\"g0\", "
                                                                                          "\"g1\"]}]}]},\n"
                                                                                          "{\"jobid\": \"b\", "
                                                                                          "\"submitted_time\": null, "
                                                                                          "\"attempts\": []}]\n",
     NULL},
    {"openb",
     "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
     "p0,12000,16384,1,460,G2|T4,LS,Running,0,1500,100\np1,6000,12288,4,1000,,BE,Succeeded,50,950,51\n",
     "sn,cpu_milli,memory_mib,gpu,model\na,96000,393216,8,G2\nb,64000,262144,2,T4\n"},
    {"pai", "j1,ps,2,S,100,700,300,8,,CPU\nj1,worker,5,S,110,800,600,16,100,T4\nj2,tf,1,S,150,600,600,29.3,50,\n",
     "j1,i,u1,S,90,800\nj2,i,u2,S,1,2\n"},
    {"dlrm",
     "role,app_name,cpu_request,gpu_request,memory_request,creation_time,deletion_time\n"
     "HN,a,12,1,120.0,,\nCN,a,64,0,32,200.0,900.0\nHN,b,10,1,100,300.0,\n",
     NULL},
    {"spot",
     "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"
     "1,13,A10,20,1,1,0,300,HP\n2,57,,15,1,6,50,400,Spot\n",
     "gpu_model,gpu_capacity_num,cpu_num,node_name\nA100,8,192,0\nA10,1,128,2\n"},
    {"helios",
     "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\r\n"
     "1,u,v,1,4,1,C," AT("41:01") ",x,y,600,0\r\n2,u,v,16,64,2,F," AT("41:27") ",x,y,249,0\r\n",
     NULL},
    {"acme",
     "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,submit_time,duration\n"
     "1,u,1,8,128,100," AT("41:01") "+08:00,117\n2,u,2,16,128,," AT("51:01") "Z,117\n",
     NULL},
    {"gavel", "LM (batch size 80)\tp\td\t-n\t1\t14775\t1\t1\t-1.0\t0\nA3C\tp\td\t-n\t1\t10550\t2\t1\t-1.0\t30\n",
     "{\"v100\": {\"('LM (batch size 80)', 1)\": {\"null\": 2.0}, \"('A3C', 2)\": {\"null\": 0.5}}}"},
    {"shockwave", "LM (batch size 10)\tp\td\t-s\t1\t134583\t1\tgns\t1\t-1.0\t1418\t0\n", NULL},
    {"tiresias",
     "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n0,1,0,606,vgg19,164,30\r\n1,8,30,1,vgg11,"
     "147,2",
     "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,16,4,128,254"},
    {"muri",
     "job_id,num_gpu,submit_time,model_name,batch_size,duration,iteration_time\r\n0,1,10800000000,dqn,128,500500,"
     "490\r\n",
     NULL},
    {"pollux", "name,time,application,num_replicas,batch_size\na,107,cifar10,6,2048\nb,135,ncf,1,32768\n", NULL},
};
