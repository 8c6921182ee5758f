/* Exact sums of products against rational arithmetic, against 128-bit integers and against identities. */
#include "tests/support/check.h"

#include <float.h>
#include <string.h>

#include "audit/exact.h"
#include "base/pcg.h"

__extension__ typedef __int128 wide;

/* Written by exact rational arithmetic: terms, a factor, the sign, the doubles below and above. */
static const struct {
    int n;
    double terms[16], factor;
    int sign;
    double down, up;
} vectors[] = {
    {3,
     {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p-60, 0x1.0000000000000p+0, -0x1.0000000000000p+0,
      0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     1,
     0x1.0000000000000p-60,
     0x1.0000000000000p-60},
    {3,
     {0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023,
      0x0.0000000000001p-1022, 0x0.0000000000001p-1022},
     0x1.0000000000000p+0,
     1,
     0.0,
     0x0.0000000000001p-1022},
    {2,
     {0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022},
     0x1.0000000000000p+0,
     1,
     0x1.fffffffffffffp+1023,
     HUGE_VAL},
    {2,
     {-0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022},
     0x1.0000000000000p+0,
     -1,
     -HUGE_VAL,
     -0x1.fffffffffffffp+1023},
    {1, {0x0.0000000000001p-1022, 0x0.0000000000001p-1022}, 0x1.0000000000000p+0, 1, 0.0, 0x0.0000000000001p-1022},
    {1, {-0x0.0000000000001p-1022, 0x0.0000000000001p-1022}, 0x1.0000000000000p+0, -1, -0x0.0000000000001p-1022, 0.0},
    {2,
     {0x0.0000000000001p-1022, 0x1.0000000000000p+0, 0x0.0000000000001p-1022, 0x1.0000000000000p-1},
     0x1.0000000000000p+0,
     1,
     0x0.0000000000001p-1022,
     0x0.0000000000002p-1022},
    {2,
     {0x0.0000000000001p-1022, -0x1.0000000000000p+0, 0x0.0000000000001p-1022, -0x1.0000000000000p-1},
     0x1.0000000000000p+0,
     -1,
     -0x0.0000000000002p-1022,
     -0x0.0000000000001p-1022},
    {2,
     {0x1.fffffffffffffp+1023, 0x1.0000000000000p+0, 0x1.fffffffffffffp+1023, 0x1.0000000000000p-54},
     0x1.0000000000000p+0,
     1,
     0x1.fffffffffffffp+1023,
     HUGE_VAL},
    {2,
     {0x1.fffffffffffffp+1023, 0x1.0000000000000p+0, 0x1.0000000000000p+970, 0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     1,
     0x1.fffffffffffffp+1023,
     HUGE_VAL},
    {2,
     {0x1.fffffffffffffp+1023, 0x1.0000000000000p+0, 0x1.0000000000000p+969, 0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     1,
     0x1.fffffffffffffp+1023,
     HUGE_VAL},
    {2,
     {-0x1.fffffffffffffp+1023, 0x1.0000000000000p+0, -0x1.0000000000000p+969, 0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     -1,
     -HUGE_VAL,
     -0x1.fffffffffffffp+1023},
    {2,
     {0x1.0000000000000p-1022, 0x1.0000000000000p+0, -0x0.0000000000001p-1022, 0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     1,
     0x0.fffffffffffffp-1022,
     0x0.fffffffffffffp-1022},
    {2,
     {0x1.0000000000000p-1022, 0x1.0000000000000p+0, -0x0.0000000000001p-1022, 0x1.0000000000000p-2},
     0x1.0000000000000p+0,
     1,
     0x0.fffffffffffffp-1022,
     0x1.0000000000000p-1022},
    {2,
     {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p-53, 0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     1,
     0x1.0000000000000p+0,
     0x1.0000000000001p+0},
    {2,
     {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p-53, -0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     1,
     0x1.fffffffffffffp-1,
     0x1.fffffffffffffp-1},
    {2,
     {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p-54, -0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     1,
     0x1.fffffffffffffp-1,
     0x1.0000000000000p+0},
    {2,
     {0x1.999999999999ap-4, 0x1.8000000000000p+1, -0x1.3333333333333p-2, 0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     1,
     0x1.0000000000000p-55,
     0x1.0000000000000p-55},
    {2,
     {0x1.999999999999ap-4, 0x1.4000000000000p+3, -0x1.0000000000000p+0, 0x1.0000000000000p+0},
     0x1.0000000000000p+0,
     1,
     0x1.0000000000000p-54,
     0x1.0000000000000p-54},
    {3,
     {0x1.1ccf385ebc8a0p+1023, 0x1.4000000000000p+3, -0x1.1ccf385ebc8a0p+1023, 0x1.4000000000000p+3,
      0x0.730d67819e8d2p-1022, 0x1.b7cdfd9d7bdbbp-34},
     0x1.0000000000000p+0,
     1,
     0x0.00000000316a2p-1022,
     0x0.00000000316a3p-1022},
    {1,
     {0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023},
     0x1.fffffffffffffp+1023,
     1,
     0x1.fffffffffffffp+1023,
     HUGE_VAL},
    {1, {0x0.0000000000001p-1022, 0x0.0000000000001p-1022}, 0x0.0000000000001p-1022, 1, 0.0, 0x0.0000000000001p-1022},
    {2,
     {0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x0.0000000000001p-1022, -0x0.0000000000001p-1022},
     -0x0.0000000000001p-1022,
     -1,
     -0x1.fffffffffffffp+973,
     -0x1.ffffffffffffep+973},
    {3,
     {0x1.1c37937e08000p+53, 0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p+0, -0x1.1c37937e08000p+53,
      0x1.0000000000000p+0},
     0x1.5555555555555p-2,
     1,
     0x1.5555555555555p-2,
     0x1.5555555555555p-2},
    {1, {0.0, 0x1.4000000000000p+2}, 0x1.0000000000000p+0, 0, 0.0, 0.0},
    {2, {0.0, -0x1.0000000000000p+0, 0x1.0000000000000p+0, 0.0}, 0x1.0000000000000p+0, 0, 0.0, 0.0},
    {5,
     {0x1.ec8cddae85d09p+26, 0x1.516b1d47a9a78p-21, 0x1.1b33d25318bf2p-57, -0x1.cff67c9374388p+7, -0x1.20b3d9d97fce6p-6,
      0x1.0000000000001p-54, 0x1.1d143642c2eb6p-30, 0x1.0000000000001p-5, -0x1.ec8cddae85d09p+26,
      0x1.516b1d47a9a78p-21},
     0x1.343bf0445af04p+10,
     1,
     0x1.573a3bd78f0f2p-25,
     0x1.573a3bd78f0f3p-25},
    {7,
     {-0x1.70bf96f12bbaep-16, -0x1.0000000000000p-56, 0x1.fffffffffffffp+4, -0x1.ca562bca8e5f5p+24,
      -0x1.5873e031dd09cp-25, 0x1.2f37454a0941bp-54, -0x1.5b289eb270e42p-58, 0x1.edf6c35c62f4bp+3,
      -0x1.af0c76bd2f78cp-22, 0x1.cee4901c7ee44p-28, -0x1.7b4aca2b360d7p+20, -0x1.9cac38f33c204p+28,
      0x1.70bf96f12bbaep-16, -0x1.0000000000000p-56},
     0x1.094517cab3d90p-23,
     1,
     0x1.3cc78c9b50478p+26,
     0x1.3cc78c9b50479p+26},
    {8,
     {-0x0.00000009cb38ap-1022, 0x0.000505f98b392p-1022, 0x0.fa64bb6e74ea9p-1022, -0x0.0000000011b2ap-1022,
      -0x0.000033957dda3p-1022, 0x1.aed24968021b0p-1015, -0x0.000197940de4bp-1022, -0x0.00006910be726p-1022,
      -0x1.ddcff0aa21c5ep-1002, 0x0.000000002b2bcp-1022, -0x0.00003ba890b03p-1022, 0x1.36cd2cc3ad520p-1020,
      -0x0.0000000000001p-1022, 0x0.00012380d38fbp-1022, 0x0.00000009cb38ap-1022, 0x0.000505f98b392p-1022},
     0x1.721537163aafcp-1019,
     -1,
     -0x0.0000000000001p-1022,
     0.0},
    {1,
     {0x1.dc49b3a877f55p+0, 0x1.f1ec2d5a911f3p-2},
     0x1.0000000000000p+0,
     1,
     0x1.cf313f0e9257bp-1,
     0x1.cf313f0e9257cp-1},
    {3,
     {-0x1.33423f54f5029p+1, 0x1.1a25163255cfdp-5, -0x1.0000000000000p-3, -0x1.b3e3808092a68p+4, 0x1.33423f54f5029p+1,
      0x1.1a25163255cfdp-5},
     0x1.3eee78e256502p-5,
     1,
     0x1.0f85527a99dedp-3,
     0x1.0f85527a99deep-3},
    {6,
     {0x1.a5079cb4de3c2p+915, -0x1.0dfdd0c9aa690p+942, -0x1.66a6f983eed9fp+953, -0x1.6332de05f39eep+946,
      0x1.702ef98751dd3p+983, 0x1.f15d1799b485bp+927, 0x1.0000000000000p+909, -0x1.7a81bf460bc00p+989,
      -0x1.e49c52f29b407p+912, -0x1.3a2eb1e535657p+969, -0x1.a5079cb4de3c2p+915, -0x1.0dfdd0c9aa690p+942},
     -0x1.b41342397a319p+935,
     -1,
     -HUGE_VAL,
     -0x1.fffffffffffffp+1023},
    {7,
     {0x1.73f1fd063a297p-6, 0x1.fffffffffffffp-28, 0x1.3f02bc70fd31cp-24, -0x1.0000000000001p-20, 0x1.491730b279ffap-12,
      -0x1.ed775ea4c427dp-16, -0x1.c4c2b422d311bp+0, 0x1.bb2ff515a12f4p-21, -0x1.85eba005bec25p-17,
      -0x1.df9577d60ca08p-18, -0x1.bf0fb817c0295p-27, 0x1.0000000000000p-22, -0x1.73f1fd063a297p-6,
      0x1.fffffffffffffp-28},
     -0x1.4358ccbdcde37p-1,
     1,
     0x1.f21cccce3e292p-21,
     0x1.f21cccce3e293p-21},
    {4,
     {0x0.0000000085791p-1022, 0x1.e60c607979d0cp-1008, -0x0.0000001dce2cep-1022, -0x0.000000000000ap-1022,
      -0x0.0307928592c89p-1022, 0x0.0000000000001p-1022, 0x0.0000000c23446p-1022, 0x0.00000013b8535p-1022},
     0x1.0000000000000p+0,
     1,
     0.0,
     0x0.0000000000001p-1022},
    {4,
     {-0x1.e48410a48935cp-3, 0x1.92d9d0d25c23ap+4, 0x1.fffffffffffffp-2, -0x1.f45af45517b96p+2, 0x1.16074f2ee58fep+4,
      -0x1.fcb8819f3a3dap+3, 0x1.85caaa70afb1cp-3, -0x1.d14ad193c5dccp+2},
     0x1.837e4a8bcd9cep+5,
     -1,
     -0x1.b32b41a4f9384p+13,
     -0x1.b32b41a4f9383p+13},
    {3,
     {-0x1.0000000000001p-24, -0x1.a89648e343664p-16, 0x1.9f8bc0f6f11a3p-6, -0x1.69caf9383b524p-9,
      0x1.0000000000001p-24, -0x1.a89648e343664p-16},
     -0x1.76e183a09357dp-5,
     1,
     0x1.adfe78405dde5p-19,
     0x1.adfe78405dde6p-19},
    {2,
     {-0x1.ca9fab2cb46f7p-30, 0x1.f2ebd0fef75c6p-20, 0x1.ca9fab2cb46f7p-30, 0x1.f2ebd0fef75c6p-20},
     0x1.0000000000000p+0,
     0,
     0.0,
     0.0},
    {6,
     {-0x1.e98a9647cb369p-46, -0x1.51c880fd72ecep+13, -0x1.173f5cc1385e5p+32, -0x1.fc82f164e3acep-59,
      -0x1.0000000000001p+48, 0x1.fffffffffffffp-22, 0x1.bee7fb6997e87p+50, -0x1.de5d32b4116d5p-35,
      -0x1.03364577269f6p+36, -0x1.56b077e58b9c0p+17, 0x1.0000000000001p-44, 0x1.c83037872fbb0p-57},
     0x1.0000000000000p+0,
     1,
     0x1.5afd2f4389aa0p+53,
     0x1.5afd2f4389aa1p+53},
    {7,
     {0x1.69ba26c737a03p-22, -0x1.e60278d7be323p+54, -0x1.0000000000000p-9, -0x1.0000000000000p-22,
      0x1.fffffffffffffp+28, 0x1.6868b697b3594p-34, 0x1.b09eddbe671f7p+49, 0x1.0000000000001p+37, -0x1.b676a25c7ae20p-8,
      -0x1.faf8af2021603p+9, 0x1.65b278cb3b474p-55, -0x1.26abd5f39c418p+13, -0x1.69ba26c737a03p-22,
      -0x1.e60278d7be323p+54},
     0x1.0000000000000p+0,
     1,
     0x1.b09eddbe671f8p+86,
     0x1.b09eddbe671f9p+86},
    {7,
     {-0x1.e8551fbd48384p-55, -0x1.bd04d69339c09p+50, 0x1.696fe6eac59cap-59, 0x1.4311da0f857bfp-14,
      -0x1.98a435a8c8a5ap+25, 0x1.abc49d429b071p+54, -0x1.ec8ba62b77b3cp+19, 0x1.a8b1c5d2ec9d5p+48,
      -0x1.bd64f86e7f110p+3, 0x1.e60931c8f968fp-28, 0x1.1d597bc8895d5p-1, -0x1.fffffffffffffp+28, 0x1.e8551fbd48384p-55,
      -0x1.bd04d69339c09p+50},
     0x1.0000000000000p+0,
     -1,
     -0x1.5583680af466ep+80,
     -0x1.5583680af466dp+80},
    {6,
     {0x0.0001000000000p-1022, 0x0.000000022e93fp-1022, -0x0.00000001852f8p-1022, -0x0.05c2200d521aap-1022,
      0x0.0010000000000p-1022, -0x0.0000001000000p-1022, 0x0.aa292d3560015p-1022, -0x1.0000000000001p-1002,
      0x0.0000800000000p-1022, 0x0.000000fffffffp-1022, -0x0.0001000000000p-1022, 0x0.000000022e93fp-1022},
     0x1.0000000000000p+0,
     -1,
     -0x0.0000000000001p-1022,
     0.0},
    {5,
     {-0x1.d4c38ba5b7756p-60, -0x1.1a0d0152ca154p-7, 0x1.7e72e3f3b2488p-40, 0x1.7f59b76fa5f49p-21,
      -0x1.886b29f441193p-41, 0x1.c315e15ff34aap+55, -0x1.7e5a92f9c7881p-52, -0x1.2992a335067d9p-7,
      0x1.9ddad5a2b8915p-4, 0x1.4a5d9e8a6bcb5p+48},
     0x1.0000000000000p+0,
     1,
     0x1.0b09b812b321ep+45,
     0x1.0b09b812b321fp+45},
    {4,
     {0x1.d6927439a2765p+15, 0x1.0000000000001p+23, 0x1.7dc78e4fd4dd8p+58, 0x1.6fa3c45221e3dp-26, 0x1.5f1a95fd2142cp-26,
      -0x1.0000000000001p+40, -0x1.902724666875ap+13, 0x1.3b1c228b2f84fp-59},
     0x1.0000000000000p+0,
     1,
     0x1.df238819f5321p+38,
     0x1.df238819f5322p+38},
    {3,
     {-0x1.dc3a90e8f85bfp-10, -0x1.204b6d2eceb33p-28, -0x1.bd9193e119459p-14, 0x1.1ccdb6a13c595p-20,
      0x1.dc3a90e8f85bfp-10, -0x1.204b6d2eceb33p-28},
     0x1.0000000000000p+0,
     -1,
     -0x1.efb38b7f44041p-34,
     -0x1.efb38b7f44040p-34},
    {6,
     {0x1.6b0fccdde0bfbp-10, 0x1.78c5e552dd973p-16, -0x1.92b184f92594cp-28, -0x1.b898e9a43db11p-2,
      -0x1.6d56b6997d19ep-21, -0x1.0000000000001p-28, -0x1.4277f9998766bp-10, 0x1.b4576d0904930p+0,
      0x1.3db274456ced2p-12, -0x1.fffffffffffffp-4, -0x1.c241b1a900631p+0, 0x1.13490f44c5f18p-3},
     0x1.0000000000000p+0,
     -1,
     -0x1.e88c2cfd657cep-3,
     -0x1.e88c2cfd657cdp-3},
    {1,
     {-0x1.d148fdc16ec7ap+998, -0x1.c8f450331f920p+1013},
     0x1.0000000000000p+0,
     1,
     0x1.fffffffffffffp+1023,
     HUGE_VAL},
    {5,
     {-0x1.dee0996fb082ep+5, -0x1.fe65856ef491dp+3, -0x1.0000000000000p-2, -0x1.72d1a81e6a683p+4, -0x1.fd26d5ccebb8dp+5,
      -0x1.a268d22a00cbfp+5, 0x1.c53708e6168e2p+3, 0x1.0000000000001p-5, 0x1.ef0f45672a96fp+5, -0x1.41ad1c9cf6271p+5},
     0x1.61dfa5dc48d6ep+3,
     1,
     0x1.3742b338288f9p+14,
     0x1.3742b338288fap+14},
    {2,
     {-0x1.0000000000000p+3, -0x1.0000000000001p+5, 0x1.0000000000000p+3, -0x1.0000000000001p+5},
     0x1.0000000000000p+0,
     0,
     0.0,
     0.0},
    {6,
     {0x1.458b3ea3d5758p+459, -0x1.c3b6f6e6178c9p+406, 0x1.7fffdf0559eb9p-152, 0x1.addfda4f075f0p-960,
      -0x1.f732f9dedff19p+938, -0x1.0000000000000p-159, -0x1.9b87e5a46969ep+351, -0x1.0000000000001p+315,
      0x1.2d179efd41142p+376, -0x1.2760ae0a99ee3p+812, 0x1.0c7d7e4fa34bap-699, -0x1.c1ff0f4ad2853p+904},
     -0x1.0000000000001p+437,
     1,
     0x1.fffffffffffffp+1023,
     HUGE_VAL},
    {3,
     {-0x1.6b3876b67c9c9p+4, 0x1.539dfeecab83fp-2, -0x1.8e875a9f80bc6p+1, 0x1.b8828db9a5bfdp-1, 0x1.cf0a4d65a5354p+4,
      0x1.e4fc33087ba52p-5},
     0x1.0000000000000p+1,
     -1,
     -0x1.0fd2fa1aae133p+4,
     -0x1.0fd2fa1aae132p+4},
    {5,
     {0x1.0000000000001p+28, 0x1.dd6c2fef8c227p-24, -0x1.1604d5a9a19aep-19, 0x1.5cd2e2c195173p-37,
      -0x1.c62d66e187216p+57, -0x1.0000000000001p+21, -0x1.0000000000001p+54, 0x1.555b8b4f4c4fap+18,
      -0x1.c944e1e8a3ae0p+60, -0x1.627c21b80eba5p+6},
     -0x1.81599ff1eca8fp+11,
     -1,
     -0x1.51eec1300ae4fp+90,
     -0x1.51eec1300ae4ep+90},
    {1, {0x1.cb789cd0c3ff2p-653, -0x1.1c3d19938faefp-231}, 0x1.b0b98386ef775p-233, -1, -0x0.0000000000001p-1022, 0.0},
    {4,
     {-0x1.fffffffffffffp+966, -0x1.6a040c94b8244p+998, -0x1.b750b14e763cdp+1005, 0x1.8e536339f65d3p+973,
      -0x1.fffffffffffffp+943, -0x1.dca5194523378p+914, 0x1.fffffffffffffp+966, -0x1.6a040c94b8244p+998},
     0x1.0000000000000p+0,
     -1,
     -HUGE_VAL,
     -0x1.fffffffffffffp+1023},
    {5,
     {-0x1.ac49b180c212dp-1, 0x1.0000000000000p+1, 0x1.ba9b674364433p-1, -0x1.fffffffffffffp-3, -0x1.0000000000001p+4,
      -0x1.5dacd5f228ab9p+4, 0x1.ef2c340fb160cp-3, -0x1.906c72fbf831fp+5, 0x1.ac49b180c212dp-1, 0x1.0000000000000p+1},
     -0x1.ac0a597ccedfdp+5,
     -1,
     -0x1.1a0939fe1d364p+14,
     -0x1.1a0939fe1d363p+14},
    {3,
     {0x1.8874defc9f134p-16, -0x1.0000000000001p+0, 0x1.0000000000000p-30, 0x1.0000000000000p-9, -0x1.eb024a23e5102p-4,
      -0x1.3a79b61a1ea15p-17},
     0x1.0000000000000p+0,
     -1,
     -0x1.759b8afa48b67p-16,
     -0x1.759b8afa48b66p-16},
    {6,
     {0x0.000000a121afdp-1022, -0x0.0004000000000p-1022, -0x1.8d6a819538323p-1018, 0x0.00016e29df744p-1022,
      -0x0.000000f24926bp-1022, -0x0.0000000007fffp-1022, 0x0.0f6aa021aab3ap-1022, 0x0.000000000fe1cp-1022,
      0x0.00000000000bbp-1022, -0x0.000000000001fp-1022, 0x1.d171912c5f7bfp-1007, -0x0.00150a0f90a1fp-1022},
     -0x1.f3f83664ef7dep-1019,
     1,
     0.0,
     0x0.0000000000001p-1022},
    {3,
     {0x1.fffffffffffffp-4, -0x1.e2e5058ac9ea6p-3, -0x1.0000000000001p-3, 0x1.5a46b8d269578p+1, -0x1.b2185ba140b39p+3,
      0x1.0000000000001p+0},
     0x1.0000000000000p+0,
     -1,
     -0x1.bddc03ea99636p+3,
     -0x1.bddc03ea99635p+3},
    {1,
     {-0x1.e2a023a5f31aap-47, 0x1.289f5529426c9p-2},
     0x1.0000000000000p+0,
     -1,
     -0x1.179ac59d7cef5p-48,
     -0x1.179ac59d7cef4p-48},
    {2,
     {-0x1.a9212340b3dacp-17, -0x1.f3aec28308660p+0, -0x1.fffffffffffffp-30, -0x1.3ea0564e6805ap-4},
     0x1.0000000000000p+0,
     1,
     0x1.9ee786f110bd4p-16,
     0x1.9ee786f110bd5p-16},
    {2,
     {-0x1.51d288de3d222p+0, -0x1.e80ba6cd3ac63p+4, 0x1.51d288de3d222p+0, -0x1.e80ba6cd3ac63p+4},
     -0x1.81337e0a0159ep-1,
     0,
     0.0,
     0.0},
    {7,
     {-0x1.0000000000001p-11, 0x1.ba64b947340bcp-27, 0x1.0000000000000p-9, -0x1.eb8bcfeebfb0fp-12,
      -0x1.0000000000000p-14, -0x1.1268e54360791p-3, 0x1.0000000000000p-5, 0x1.d9720c1999768p-16, 0x1.b488ba0b166fbp-5,
      -0x1.5c835bf410080p-6, -0x1.fc1bfa93f0cedp-23, 0x1.8f2dca7f7beb1p-27, 0x1.e1ba56cbf0048p-27,
      0x1.44615e4074afbp-13},
     0x1.0000000000000p+0,
     -1,
     -0x1.27025f559aa66p-10,
     -0x1.27025f559aa65p-10},
    {3,
     {-0x1.0000000000000p+1, 0x1.2966f0dd66270p+2, -0x1.c5bc830019997p-3, 0x1.ecb25e1d8c446p-4, -0x1.0000000000000p-3,
      0x1.648a58f9b12d4p-1},
     -0x1.91f92b3abbf0ep+3,
     1,
     0x1.d8b232dd623fbp+6,
     0x1.d8b232dd623fcp+6},
    {4,
     {-0x1.f3aaa6c20c6a8p+5, 0x1.88294e90e617cp+2, 0x1.6c10fbd96b78bp+3, -0x1.fffffffffffffp-2, -0x1.dad25bb6e85d2p+0,
      0x1.bc664b7285835p+5, 0x1.fffffffffffffp+3, -0x1.fffffffffffffp+3},
     0x1.0000000000000p+0,
     -1,
     -0x1.75b7c6e679d76p+9,
     -0x1.75b7c6e679d75p+9},
    {6,
     {0x1.938d4614bfe63p+1002, 0x1.c12fa8cc57818p+970, -0x1.fffffffffffffp+934, -0x1.58d1f44c7156ap+1013,
      -0x1.720bf10106711p+968, 0x1.db45c8aed70afp+1004, 0x1.0b8fe4b2f9431p+981, 0x1.fffffffffffffp+1014,
      0x1.a1bf975aacbc0p+931, -0x1.fffffffffffffp+918, -0x1.938d4614bfe63p+1002, 0x1.c12fa8cc57818p+970},
     0x1.0000000000000p+0,
     1,
     0x1.fffffffffffffp+1023,
     HUGE_VAL},
    {6,
     {-0x1.7139e83476864p+1, -0x1.9564eefb06b4cp+1, 0x1.e26feee48d536p-5, 0x1.3ef8a908e6ea6p+3, -0x1.0b0d8b0ec4eaep+4,
      -0x1.fffffffffffffp-3, -0x1.cc94298eb5ff8p-2, 0x1.e6043ff28130ep+4, 0x1.fd533ef722693p-3, -0x1.9c2e82efd4464p+1,
      0x1.7139e83476864p+1, -0x1.9564eefb06b4cp+1},
     0x1.0000000000000p+0,
     -1,
     -0x1.368547824c896p+3,
     -0x1.368547824c895p+3},
    {5,
     {0x1.8b0fafcf67840p-20, 0x1.ebbbc349f1839p-29, -0x1.3e39dee729203p-6, 0x1.8916109e99850p-29,
      -0x1.ec6763163b3d8p-19, 0x1.0c064d6f53436p-12, -0x1.0000000000000p-16, -0x1.6d4cb0a4143fbp-16,
      -0x1.3d62cee6bc0fap-10, 0x1.776f970b3e08ap-20},
     0x1.0000000000000p+0,
     -1,
     -0x1.4395e56ee5923p-29,
     -0x1.4395e56ee5922p-29},
};

static void test_vectors(void **state) {
    (void)state;
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
        berth__exact sum = {.low = 0}, scaled = {.low = 0};
        for (int k = 0; k < vectors[v].n; k++) {
            berth__exact_add_product(&sum, vectors[v].terms[2 * k], vectors[v].terms[2 * k + 1]);
        }
        berth__exact_add_scaled(&scaled, &sum, vectors[v].factor);
        double down = berth__exact_down(&scaled), up = berth__exact_up(&scaled);
        if (berth__exact_sign(&scaled) != vectors[v].sign || down != vectors[v].down || up != vectors[v].up) {
            fail_msg("vector %zu: sign %d, %a to %a; expected %d, %a to %a", v, berth__exact_sign(&scaled), down, up,
                     vectors[v].sign, vectors[v].down, vectors[v].up);
        }
    }
}

/* A double with a random mantissa of `bits` bits and an exponent in [0, range). */
static double draw(berth__pcg *stream, int bits, int range) {
    double mantissa = floor(ldexp(berth__pcg_uniform(stream), bits));
    double sign = berth__pcg_uniform(stream) < 0.5 ? -1 : 1;
    return sign * ldexp(mantissa, (int)(berth__pcg_uniform(stream) * range));
}

/* Sums below 2^120, in units of 2^-40. */
static void test_against_integers(void **state) {
    (void)state;
    uint64_t key[] = {7};
    berth__pcg stream = berth__pcg_key(1, key);
    for (int round = 0; round < 20000; round++) {
        berth__exact sum = {.low = 0};
        wide total = 0;
        for (int k = 0; k < 8; k++) {
            double a = draw(&stream, 30, 25), b = draw(&stream, 30, 25);
            total += (wide)a * (wide)b;
            berth__exact_add_product(&sum, ldexp(a, -20), ldexp(b, -20));
        }
        if (round % 3 == 0) { /* cancel all but a little */
            double most = (double)total;
            berth__exact_add(&sum, ldexp(-most, -40));
            total -= (wide)most;
        }
        assert_int_equal(berth__exact_sign(&sum), (total > 0) - (total < 0));
        double down = ldexp(berth__exact_down(&sum), 40), up = ldexp(berth__exact_up(&sum), 40);
        assert_true((wide)down <= total && total <= (wide)up);
        assert_true(down == up || (nextafter(down, HUGE_VAL) == up && (wide)down < total && total < (wide)up));
        assert_int_equal(berth__exact_compare(&sum, ldexp(down, -40)), (wide)down < total);
        assert_int_equal(berth__exact_compare(&sum, ldexp(up, -40)), -(total < (wide)up));
    }
}

/* What a product loses by rounding is a double. */
static void test_products(void **state) {
    (void)state;
    uint64_t key[] = {8};
    berth__pcg stream = berth__pcg_key(1, key);
    for (int round = 0; round < 20000; round++) {
        double a = draw(&stream, 53, 300), b = draw(&stream, 53, 300), product = a * b;
        berth__exact sum = {.low = 0};
        berth__exact_add_product(&sum, a, b);
        berth__exact_add(&sum, -product);
        assert_true(berth__exact_down(&sum) == fma(a, b, -product));
        assert_true(berth__exact_up(&sum) == fma(a, b, -product));
    }
}

/* Numbers of all sizes, added in one order and taken away in another, leave nothing; carries in between or not. */
static void test_cancellation(void **state) {
    (void)state;
    enum { N = 300 };
    uint64_t key[] = {9};
    berth__pcg stream = berth__pcg_key(1, key);
    for (int round = 0; round < 200; round++) {
        berth__exact sum = {.low = 0}, copy = {.low = 0};
        double a[N], b[N];
        for (int k = 0; k < N; k++) {
            a[k] = ldexp(draw(&stream, 53, 1), (int)(berth__pcg_uniform(&stream) * 2040) - 1074);
            b[k] = ldexp(draw(&stream, 53, 1), (int)(berth__pcg_uniform(&stream) * 2040) - 1074);
            berth__exact_add_product(&sum, a[k], b[k]);
            if (round % 2 == 0 && k % 7 == 0) {
                berth__exact_sign(&sum);
            }
        }
        berth__exact_copy(&copy, &sum);
        berth__exact_negate(&copy);
        assert_int_equal(berth__exact_sign(&copy), -berth__exact_sign(&sum));
        assert_true(berth__exact_down(&copy) == -berth__exact_up(&sum));
        for (int k = N; k-- > 0;) {
            berth__exact_add_product(&sum, -b[k], a[k]);
        }
        assert_int_equal(berth__exact_sign(&sum), 0);
        assert_true(berth__exact_down(&sum) == 0 && berth__exact_up(&sum) == 0);
    }
}

/* (sum a_k b_k) c = sum a_k (b_k c) where b_k c is exact. */
static void test_scaling(void **state) {
    (void)state;
    uint64_t key[] = {10};
    berth__pcg stream = berth__pcg_key(1, key);
    for (int round = 0; round < 5000; round++) {
        berth__exact sum = {.low = 0}, scaled = {.low = 0};
        double c = draw(&stream, 26, 100);
        for (int k = 0; k < 6; k++) {
            double a = draw(&stream, 53, 200), b = draw(&stream, 26, 200);
            berth__exact_add_product(&sum, a, b);
            berth__exact_add_product(&scaled, -a, b * c);
        }
        berth__exact_add_scaled(&scaled, &sum, c);
        assert_int_equal(berth__exact_sign(&scaled), 0);
    }
}

/* More additions than limbs take without a carry would overflow them if none were made: the carry is due every 2^29. */
static void test_many_additions(void **state) {
    (void)state;
    enum { N = 3000000 };
    berth__exact sum = {.low = 0};
    for (int k = 0; k < N; k++) {
        if (k % 1000 == 0) {
            sum.pending = ((uint32_t)1 << 29) - 5; /* as if that many had been added */
        }
        berth__exact_add_product(&sum, DBL_MAX, k % 2 == 0 ? 1 : -1 + DBL_EPSILON / 2);
    }
    /* N / 2 times DBL_MAX 2^-53 */
    berth__exact_add_product(&sum, -DBL_MAX, N / 2 * (DBL_EPSILON / 2));
    assert_int_equal(berth__exact_sign(&sum), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),  cmocka_unit_test(test_against_integers),
        cmocka_unit_test(test_products), cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_scaling),  cmocka_unit_test(test_many_additions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
